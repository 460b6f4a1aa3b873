#include <algorithm>
#include <unordered_map>

#include "engine/callgraph/flame_sources.h"

namespace gprof {
namespace {

// All stacks, merged from their outer ends.
class StackFlames : public FlameSource {
 public:
  StackFlames(const FlameTreeParts& parts, std::span<const SymbolIndex> function);

  FlameChild root() override { return child(0); }
  std::vector<FlameChild> children(const FlameChild& node) override;

 private:
  struct Node {
    FlameFrame frame;
    Ticks self = 0;
    Ticks total = 0;
    std::uint32_t first_child = 0;  // 0: none
    std::uint32_t next_sibling = 0;
  };
  struct Step {
    std::uint32_t parent;
    FlameFrame frame;
    friend bool operator==(const Step&, const Step&) = default;
  };
  struct StepHash {
    std::size_t operator()(const Step& step) const {
      const std::uint64_t frame =
          (static_cast<std::uint64_t>(step.frame.kind) << 32U) | step.frame.number;
      constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
      return static_cast<std::size_t>((frame * golden_ratio + step.parent) * golden_ratio >> 7U);
    }
  };

  void add(const SampledStack& stack);
  void add_inlined(Address place);
  void add_missing();
  void add_path(Ticks ticks);
  [[nodiscard]] std::uint32_t step_to(std::uint32_t parent, const FlameFrame& frame);
  [[nodiscard]] bool is_wanted(SymbolIndex symbol) const {
    return std::find(function_.begin(), function_.end(), symbol) != function_.end();
  }
  [[nodiscard]] FlameChild child(std::uint32_t index) const {
    const Node& node = nodes_[index];
    return {node.frame, node.self, node.total, index};
  }

  const FlameTreeParts& parts_;
  std::span<const SymbolIndex> function_;
  std::vector<Node> nodes_ = {Node{}};
  std::unordered_map<Step, std::uint32_t, StepHash> known_;
  std::vector<FlameFrame> path_;  // outermost first
};

StackFlames::StackFlames(const FlameTreeParts& parts, std::span<const SymbolIndex> function)
    : parts_(parts), function_(function) {
  for (std::size_t i = 0; i < parts.stacks.size(); ++i) add(parts.stacks[i]);
  add_missing();
}

void StackFlames::add(const SampledStack& stack) {
  if (!(stack.count > 0)) return;
  auto outermost = stack.frames.rbegin();
  if (!function_.empty()) {
    outermost = std::find_if(stack.frames.rbegin(), stack.frames.rend(),
                             [&](const StackFrame& frame) { return is_wanted(frame.symbol); });
    if (outermost == stack.frames.rend()) return;
  }
  path_.clear();
  if (stack.truncated && function_.empty()) path_.push_back({FlameFrameKind::truncated, 0});
  for (auto frame = outermost; frame != stack.frames.rend(); ++frame) {
    const FlameFrame shown = flame_frame(parts_.symbols, parts_.stacks, *frame);
    // How often code without symbols calls itself means nothing.
    const bool nameless = !is_of_function(parts_.stacks, shown);
    if (nameless && !path_.empty() && path_.back() == shown) continue;
    path_.push_back(shown);
    if (frame->symbol != no_symbol) add_inlined(frame->place);
  }
  add_path(stack.count);
}

void StackFlames::add_inlined(Address place) {
  if (parts_.inlined == nullptr) return;
  for (const std::uint32_t function : parts_.inlined->at(place)) {
    path_.push_back({FlameFrameKind::inlined, function});
  }
}

void StackFlames::add_missing() {
  for (const auto& [symbol, ticks] : samples_without_stack(parts_.profile, parts_.stacks)) {
    if (!function_.empty() && !is_wanted(symbol)) continue;
    path_.clear();
    if (function_.empty()) path_.push_back({FlameFrameKind::no_stack, 0});
    path_.push_back(flame_frame(parts_.symbols, symbol));
    add_path(ticks);
  }
}

void StackFlames::add_path(Ticks ticks) {
  std::uint32_t at = 0;
  nodes_[at].total += ticks;
  for (const FlameFrame& frame : path_) {
    at = step_to(at, frame);
    nodes_[at].total += ticks;
  }
  nodes_[at].self += ticks;
}

std::uint32_t StackFlames::step_to(std::uint32_t parent, const FlameFrame& frame) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [known, is_new] = known_.try_emplace({parent, frame}, next);
  if (is_new) {
    nodes_.push_back({frame, 0, 0, 0, nodes_[parent].first_child});
    nodes_[parent].first_child = next;
  }
  return known->second;
}

std::vector<FlameChild> StackFlames::children(const FlameChild& node) {
  std::vector<FlameChild> found;
  for (std::uint32_t at = nodes_[node.origin].first_child; at != 0; at = nodes_[at].next_sibling) {
    found.push_back(child(at));
  }
  return found;
}

}  // namespace

std::vector<SamplesWithoutStack> samples_without_stack(const FunctionCosts& profile,
                                                       const StackSamples& stacks) {
  std::vector<SamplesWithoutStack> found;
  if (!(stacks.missing() > 0)) return found;
  std::vector<Ticks> without(profile.self_ticks().begin(), profile.self_ticks().end());
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const SymbolIndex symbol = stacks[i].frames.front().symbol;
    if (symbol != no_symbol) without[symbol] -= stacks[i].count;
  }
  Ticks all = 0;
  for (const Ticks ticks : without) all += std::max(ticks, 0.0);
  // A bin shared by two functions is not a lost stack.
  const double scale = all > stacks.missing() ? stacks.missing() / all : 1;
  for (SymbolIndex symbol = 0; symbol < without.size(); ++symbol) {
    if (without[symbol] > 0) found.push_back({symbol, without[symbol] * scale});
  }
  return found;
}

std::unique_ptr<FlameSource> flames_of_stacks(const FlameTreeParts& parts,
                                              std::span<const SymbolIndex> function) {
  return std::make_unique<StackFlames>(parts, function);
}

}  // namespace gprof
