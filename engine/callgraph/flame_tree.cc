#include "engine/callgraph/flame_tree.h"

#include <algorithm>
#include <queue>
#include <string_view>
#include <utility>

#include "engine/callgraph/flame_sources.h"

namespace gprof {
namespace {

// Anything less, in ticks, is a rounding error of sums.
constexpr Ticks least_ticks = 1e-9;

std::string_view name_of(const FlameTreeParts& parts, const FlameFrame& frame) {
  if (frame.kind == FlameFrameKind::function) return parts.symbols[frame.number].name;
  if (frame.kind != FlameFrameKind::module) return {};
  const ExternalCode& code = parts.stacks.external_code(frame.number);
  return code.function.empty() ? code.module : code.function;
}

// Takes nodes from a source, largest first, as long as there is room.
class Growth {
 public:
  Growth(const FlameTreeParts& parts, const FlameTreeRequest& request, FlameSource& source)
      : parts_(parts), request_(request), source_(source) {}

  std::vector<FlameNode> run();

 private:
  struct Waiting {
    Ticks total;
    std::uint32_t node;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return a.total != b.total ? a.total < b.total : a.node > b.node;
    }
  };

  void grow(std::uint32_t node);
  void add(std::uint32_t parent, const FlameChild& child);
  void sort(std::vector<FlameChild>& children) const;
  [[nodiscard]] std::vector<FlameNode> parents_first();

  const FlameTreeParts& parts_;
  const FlameTreeRequest& request_;
  FlameSource& source_;
  std::vector<FlameNode> nodes_;
  std::vector<FlameChild> seeds_;  // what each node was made from
  std::priority_queue<Waiting> waiting_;
  Ticks minimum_ = 0;
};

std::vector<FlameNode> Growth::run() {
  const FlameChild root = source_.root();
  minimum_ = std::max(least_ticks, root.total * request_.minimum_share);
  nodes_.push_back({root.frame, 0, 0, root.self, root.total, 0, {}});
  seeds_.push_back(root);
  waiting_.push({root.total, 0});
  while (!waiting_.empty()) {
    const std::uint32_t node = waiting_.top().node;
    waiting_.pop();
    grow(node);
  }
  return parents_first();
}

void Growth::grow(std::uint32_t node) {
  const FlameChild seed = seeds_[node];
  std::vector<FlameChild> children = source_.children(seed);
  sort(children);
  Ticks left = nodes_[node].total - nodes_[node].self;
  for (const FlameChild& child : children) {
    const bool fits = nodes_.size() < std::max<std::size_t>(1, request_.maximum_nodes) &&
                      nodes_[node].depth < request_.maximum_depth;
    if (!fits || child.total < minimum_) continue;
    add(node, child);
    left -= child.total;
  }
  nodes_[node].left_out = left > least_ticks * std::max(1.0, nodes_[node].total) ? left : 0;
}

void Growth::add(std::uint32_t parent, const FlameChild& child) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({child.frame, parent, nodes_[parent].depth + 1, child.self, child.total, 0, {}});
  nodes_[parent].children.push_back(index);
  seeds_.push_back(child);
  waiting_.push({child.total, index});
}

void Growth::sort(std::vector<FlameChild>& children) const {
  std::sort(children.begin(), children.end(), [&](const FlameChild& a, const FlameChild& b) {
    if (a.total != b.total) return a.total > b.total;
    const std::string_view name_a = name_of(parts_, a.frame);
    const std::string_view name_b = name_of(parts_, b.frame);
    return name_a != name_b ? name_a < name_b : a.frame < b.frame;
  });
}

// In the order that a reader would write them, whatever the order of growth.
std::vector<FlameNode> Growth::parents_first() {
  std::vector<FlameNode> ordered;
  ordered.reserve(nodes_.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack = {{0, 0}};  // node, its new parent
  while (!stack.empty()) {
    const auto [node, parent] = stack.back();
    stack.pop_back();
    const auto index = static_cast<std::uint32_t>(ordered.size());
    const std::vector<std::uint32_t> children = std::exchange(nodes_[node].children, {});
    ordered.push_back(std::move(nodes_[node]));
    ordered.back().parent = parent;
    if (index != 0) ordered[parent].children.push_back(index);
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      stack.emplace_back(*child, index);
    }
  }
  return ordered;
}

}  // namespace

FlameFrame flame_frame(const SymbolTable& symbols, SymbolIndex symbol) {
  const Symbol& code = symbols[symbol];
  return {FlameFrameKind::function, code.clone == CloneKind::part ? code.clone_of : symbol};
}

FlameFrame flame_frame(const StackSamples& stacks, const ModuleSamples& module) {
  const auto number = stacks.find({module.name, module.function});
  return number ? FlameFrame{FlameFrameKind::module, *number}
                : FlameFrame{FlameFrameKind::unknown, 0};
}

bool is_of_function(const StackSamples& stacks, const FlameFrame& frame) {
  if (frame.kind != FlameFrameKind::module) return frame.kind == FlameFrameKind::function;
  return !stacks.external_code(frame.number).function.empty();
}

FlameFrame flame_frame(const SymbolTable& symbols, const StackSamples& stacks,
                       const StackFrame& frame) {
  if (frame.symbol != no_symbol) return flame_frame(symbols, frame.symbol);
  if (frame.module == StackFrame::left_out) return {FlameFrameKind::truncated, 0};
  const bool named = frame.module != StackSamples::own_module &&
                     !stacks.external_code(frame.module).module.empty();
  if (!named) return {FlameFrameKind::unknown, 0};
  return {FlameFrameKind::module, frame.module};
}

FlameTree FlameTree::build(const FlameTreeParts& parts, const FlameTreeRequest& request) {
  const bool measured = parts.measured.has_stacks();
  const auto source = measured ? flames_of_stacks(parts, request.function)
                               : flames_of_propagation(parts, request.function);
  return {measured, Growth(parts, request, *source).run()};
}

}  // namespace gprof
