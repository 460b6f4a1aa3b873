#include "server/features/flame_differences.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engine/comparison/multiple_test.h"
#include "server/features/cost_text.h"
#include "server/features/difference_text.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_gone_named = 10;

double run_count(const Snapshot& snapshot) {
  return static_cast<double>(std::max<std::size_t>(snapshot.profile_paths().size(), 1));
}

// The base's symbols of the functions, with their clones, ascending.
std::vector<SymbolIndex> base_function(const LoadedProgram& program,
                                       std::span<const SymbolIndex> function) {
  std::set<SymbolIndex> found;
  for (const SymbolIndex symbol : function) {
    const auto place = program.comparison->place_of({&symbol, 1});
    if (place) found.insert(program.comparison->functions()[*place].before);
  }
  found.erase(no_symbol);
  std::vector<SymbolIndex> symbols;
  const auto all = program.base->snapshot->symbols().symbols();
  for (SymbolIndex i = 0; i < all.size() && !found.empty(); ++i) {
    if (found.contains(all[i].clone_of)) symbols.push_back(i);
  }
  return symbols;
}

// A sum of runs as one run that was sampled more often.
FamilySide family_side(const Snapshot& snapshot) {
  const FunctionCosts& profile = snapshot.profile();
  return {{profile.ticks_per_second() * run_count(snapshot)},
          {},
          {profile.errors().of_all_code()},
          run_count(snapshot)};
}

}  // namespace

// Which node of the base a node is.
class FlameDifferences::Matcher {
 public:
  Matcher(const FlameInput& input, const FlameInput& base_input, const FlameTree& tree,
          const FlameTree& all, const FlameTree* base, bool demangle)
      : tree_(tree),
        all_(all),
        base_(base),
        names_(input, demangle),
        base_names_(base_input, demangle),
        in_base_(tree.nodes().size(), unknown),
        in_all_(tree.nodes().size(), unknown) {}

  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  static constexpr std::uint32_t absent = unknown - 1;

  void match() {
    in_all_[0] = 0;
    in_base_[0] = base_ == nullptr ? absent : 0;
    for (std::uint32_t node = 0; node < tree_.nodes().size(); ++node) match_children(node);
  }
  // `absent`: the base certainly has no such node; `unknown`: it may have.
  [[nodiscard]] std::uint32_t in_base(std::uint32_t node) const { return in_base_[node]; }
  // Callees of the node in the base that it certainly does not have now.
  [[nodiscard]] std::vector<std::uint32_t> gone(std::uint32_t node);
  [[nodiscard]] const std::string& base_name(std::uint32_t node) {
    return base_names_.of(base_->node(node).frame);
  }

 private:
  void match_children(std::uint32_t node);
  // The first child with the name that has not been taken.
  [[nodiscard]] static std::uint32_t find(const FlameTree& tree, FlameNames& names,
                                          std::uint32_t parent, const std::string& name,
                                          const std::set<std::uint32_t>& taken);

  const FlameTree& tree_;
  const FlameTree& all_;   // the same, with small nodes
  const FlameTree* base_;  // null: the base has no such function
  FlameNames names_;
  FlameNames base_names_;
  std::vector<std::uint32_t> in_base_;  // by node
  std::vector<std::uint32_t> in_all_;
};

std::uint32_t FlameDifferences::Matcher::find(const FlameTree& tree, FlameNames& names,
                                              std::uint32_t parent, const std::string& name,
                                              const std::set<std::uint32_t>& taken) {
  const auto& children = tree.node(parent).children;
  const auto found = std::ranges::find_if(children, [&](std::uint32_t child) {
    return !taken.contains(child) && names.of(tree.node(child).frame) == name;
  });
  if (found != children.end()) return *found;
  return tree.node(parent).left_out > 0 ? unknown : absent;
}

void FlameDifferences::Matcher::match_children(std::uint32_t node) {
  std::set<std::uint32_t> taken;
  std::set<std::uint32_t> taken_of_all;
  for (const std::uint32_t child : tree_.node(node).children) {
    const std::string& name = names_.of(tree_.node(child).frame);
    // What is called from a function that the base has not there is not there either.
    in_base_[child] = in_base_[node] >= absent
                          ? in_base_[node]
                          : find(*base_, base_names_, in_base_[node], name, taken);
    if (in_base_[child] < absent) taken.insert(in_base_[child]);
    in_all_[child] =
        in_all_[node] >= absent ? unknown : find(all_, names_, in_all_[node], name, taken_of_all);
    if (in_all_[child] < absent) taken_of_all.insert(in_all_[child]);
  }
}

std::vector<std::uint32_t> FlameDifferences::Matcher::gone(std::uint32_t node) {
  std::vector<std::uint32_t> gone;
  if (in_base_[node] >= absent || in_all_[node] >= absent) return gone;
  const FlameNode& now = all_.node(in_all_[node]);
  if (now.left_out > 0) return gone;
  std::multiset<std::string> names;
  for (const std::uint32_t child : now.children) names.insert(names_.of(all_.node(child).frame));
  for (const std::uint32_t child : base_->node(in_base_[node]).children) {
    const auto known = names.find(base_name(child));
    if (known == names.end()) {
      gone.push_back(child);
    } else {
      names.erase(known);
    }
  }
  return gone;
}

FlameDifferences::FlameDifferences(const LoadedProgram& program, const FlameInput& input,
                                   const FlameTree& tree, const FlameTreeRequest& request,
                                   bool demangle) {
  if (!program.comparison || !program.base || !program.comparison->has_times()) return;
  const Snapshot& before = *program.base->snapshot;
  FlameTreeRequest full = request;
  full.minimum_share = 0;
  full.maximum_nodes = most_base_nodes;
  const FlameTree all = FlameTree::build(input.parts(), full);
  const FlameInput base_input(before);
  std::optional<FlameTree> base;
  if (!request.function.empty()) full.function = base_function(program, request.function);
  if (request.function.empty() || !full.function.empty()) {
    base = FlameTree::build(base_input.parts(), full);
    if (base->measured() != tree.measured()) return;
  }
  Matcher matcher(input, base_input, tree, all, base ? &*base : nullptr, demangle);
  matcher.match();

  nodes_.resize(tree.nodes().size());
  FamilySide old_side = family_side(before);
  FamilySide new_side = family_side(*program.snapshot);
  std::vector<std::uint32_t> compared;
  const FunctionCosts& profile = before.profile();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    const std::uint32_t partner = matcher.in_base(node);
    if (partner == Matcher::unknown) continue;
    compared.push_back(node);
    old_side.figures.push_back({partner == Matcher::absent ? 0 : base->node(partner).total});
    new_side.figures.push_back({tree.node(node).total});
    for (const std::uint32_t gone : matcher.gone(node)) {
      const double seconds = profile.seconds(base->node(gone).total) / run_count(before);
      nodes_[node].gone_seconds += seconds;
      if (nodes_[node].gone.size() < most_gone_named) {
        nodes_[node].gone.push_back({matcher.base_name(gone), seconds});
      }
    }
  }
  const std::vector<std::size_t> of_none(compared.size(), no_figure);
  const auto changes =
      compare_under(program.comparison->conditions(), of_none, old_side, new_side, family_level);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    nodes_[compared[i]].difference = difference_data(changes[i]);
  }
}

}  // namespace gprof::lsp
