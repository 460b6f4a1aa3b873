#include "server/features/flame_graph.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "engine/source/inlined_functions.h"
#include "server/features/cost_text.h"
#include "server/features/flame_differences.h"
#include "server/features/flame_names.h"
#include "server/features/shown_name.h"

namespace gprof::lsp {
namespace {

// What can still be drawn, and nested without problems for JSON readers.
constexpr std::size_t most_frames = 10'000;
constexpr std::uint32_t usual_depth = 100;
constexpr std::uint32_t deepest_frame = 400;
constexpr double usual_share = 0.0001;

class Flames {
 public:
  // `differences` is null unless they were asked for and are known.
  Flames(const FlameTree& tree, const FlameInput& input, const FlameDifferences* differences,
         FunctionLocations& locations, bool demangle)
      : tree_(tree),
        inlined_(input.inlined()),
        differences_(differences),
        locations_(locations),
        snapshot_(*locations.program().snapshot),
        names_(input, demangle) {
    std::set<SymbolIndex> functions;
    for (const FlameNode& node : tree.nodes()) {
      if (node.frame.kind == FlameFrameKind::function) functions.insert(node.frame.number);
    }
    // By address, the fast order for reading debug information.
    for (const SymbolIndex function : functions) (void)locations.of(function);
  }

  // Recursion depth is the tree's, which is bounded.
  FlameGraphNode describe(std::uint32_t index);

 private:
  void place(const FlameFrame& frame, FlameGraphNode& node);

  const FlameTree& tree_;
  std::span<const InlinedFunction> inlined_;
  const FlameDifferences* differences_;
  FunctionLocations& locations_;
  std::unordered_map<std::uint32_t, std::optional<Location>> inlined_places_;
  const Snapshot& snapshot_;
  FlameNames names_;
};

FlameGraphNode Flames::describe(std::uint32_t index) {
  const FlameNode& node = tree_.node(index);
  FlameGraphNode result;
  const FunctionCosts& profile = snapshot_.profile();
  result.total = profile.seconds(node.total);
  result.self = profile.seconds(node.self);
  result.left_out = profile.seconds(node.left_out);
  if (!profile.has_exact_costs()) {
    result.error = profile.seconds(profile.error_in_all_code(node.total));
    result.self_error = profile.seconds(profile.error_in_all_code(node.self));
  }
  place(node.frame, result);
  if (differences_ != nullptr) {
    result.difference = differences_->of(index);
    result.gone = differences_->gone(index);
    result.gone_seconds = differences_->gone_seconds(index);
  }
  result.children.reserve(node.children.size());
  for (const std::uint32_t child : node.children) result.children.push_back(describe(child));
  return result;
}

// What the frame is called and where it is defined.
void Flames::place(const FlameFrame& frame, FlameGraphNode& node) {
  node.name = names_.of(frame);
  std::optional<Location> location;
  if (frame.kind == FlameFrameKind::inlined) {
    const InlinedFunction& function = inlined_[frame.number];
    node.inlined = true;
    const auto [known, is_new] = inlined_places_.try_emplace(frame.number);
    if (is_new) known->second = locations_.of(function.name, function.declaration);
    location = known->second;
  } else if (frame.kind == FlameFrameKind::module) {
    node.module = names_.module_of(frame);
  } else if (frame.kind == FlameFrameKind::function) {
    location = locations_.of(frame.number);
  }
  if (!location) return;
  node.uri = location->uri;
  node.range = location->range;
}

}  // namespace

FlameGraphResult flame_graph(const FlameGraphQuery& query, FunctionLocations& locations,
                             bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  FlameTreeRequest request;
  request.function = query.function;
  request.minimum_share = std::clamp(query.minimum_share.value_or(usual_share), 0.0, 1.0);
  request.maximum_depth = std::min(query.maximum_depth.value_or(usual_depth), deepest_frame);
  request.maximum_nodes = most_frames;
  const FlameInput input(snapshot);
  const FlameTree tree = FlameTree::build(input.parts(), request);
  const FlameNode& top = tree.node(0);
  // For one function: it is the root itself, unless it has several instances.
  const bool one = !query.function.empty() && top.children.size() == 1;
  FlameGraphResult result;
  result.basis = tree.measured() ? TimeBasis::measured : TimeBasis::estimated;
  result.unit = snapshot.profile().dimension();
  result.scale = sample_scale(snapshot.profile());
  result.total = snapshot.profile().seconds(top.total);
  std::optional<FlameDifferences> differences;
  if (query.differences) {
    differences.emplace(locations.program(), input, tree, request, demangle);
    result.compared = differences->compared();
  }
  const bool compared = differences && differences->compared();
  result.root = Flames(tree, input, compared ? &*differences : nullptr, locations, demangle)
                    .describe(one ? top.children.front() : 0);
  if (!query.function.empty() && !one) {
    const SymbolIndex symbol = query.function.front();
    result.root->name = demangle ? shown_name(snapshot.sources(), symbol).name
                                 : std::string(snapshot.symbols()[symbol].name);
  }
  return result;
}

}  // namespace gprof::lsp
