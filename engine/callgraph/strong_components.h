// Strongly connected components by one search from each node (Gabow 2000, "Path-based depth-first
// search"), not recursive: a call chain may be as deep as the program has functions.
//
// Thread contract: a pure function. Cost: linear in nodes and arcs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace gprof {

// Component i holds members[first[i]] to members[first[i + 1] - 1]. Components are in reverse
// topological order: whatever a component reaches comes before it. A component's members are in the
// order in which the search joined them, except that the one reached first comes first.
struct StrongComponents {
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> first;
};

template <typename Successors>
class StrongComponentSearch {
 public:
  StrongComponentSearch(std::uint32_t node_count, const Successors& successors)
      : successors_(successors),
        reached_(node_count, unreached),
        settled_(node_count, false),
        next_member_(node_count, no_node),
        last_member_(node_count, no_node) {}

  StrongComponents run() {
    for (std::uint32_t root = 0; root < reached_.size(); ++root) {
      if (reached_[root] == unreached) search_from(root);
    }
    result_.first.push_back(static_cast<std::uint32_t>(result_.members.size()));
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t no_node = unreached;

  struct Step {
    std::uint32_t node;
    std::span<const std::uint32_t> rest;  // of its successors
  };

  void search_from(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.rest.empty()) {
        leave(step.node);
        continue;
      }
      const std::uint32_t next = step.rest.front();
      step.rest = step.rest.subspan(1);
      if (reached_[next] == unreached) {
        enter(next);
      } else if (!settled_[next]) {
        join_back_to(next);
      }
    }
  }

  void enter(std::uint32_t node) {
    reached_[node] = reached_count_++;
    last_member_[node] = node;
    path_.push_back({node, successors_(node)});
    heads_.push_back(node);
    // All at once: they are scattered in memory.
    for (const std::uint32_t next : path_.back().rest) __builtin_prefetch(&reached_[next]);
  }

  // Everything on the path above the node's component belongs to it.
  void join_back_to(std::uint32_t node) {
    std::size_t kept = heads_.size();
    while (reached_[heads_[kept - 1]] > reached_[node]) --kept;
    const std::uint32_t head = heads_[kept - 1];
    for (std::size_t i = kept; i < heads_.size(); ++i) {
      next_member_[last_member_[head]] = heads_[i];
      last_member_[head] = last_member_[heads_[i]];
    }
    heads_.resize(kept);
  }

  void leave(std::uint32_t node) {
    path_.pop_back();
    if (heads_.back() != node) return;
    heads_.pop_back();
    result_.first.push_back(static_cast<std::uint32_t>(result_.members.size()));
    for (std::uint32_t member = node; member != no_node; member = next_member_[member]) {
      settled_[member] = true;
      result_.members.push_back(member);
    }
  }

  const Successors& successors_;
  std::vector<std::uint32_t> reached_;  // when, from 0
  std::vector<bool> settled_;
  // One list per head of a component, starting at the head.
  std::vector<std::uint32_t> next_member_;
  std::vector<std::uint32_t> last_member_;
  std::vector<Step> path_;
  std::vector<std::uint32_t> heads_;  // on the path, ascending
  std::uint32_t reached_count_ = 0;
  StrongComponents result_;
};

// `successors(node)` returns a span of nodes that must stay unchanged.
template <typename Successors>
[[nodiscard]] StrongComponents strong_components(std::uint32_t node_count,
                                                 const Successors& successors) {
  return StrongComponentSearch<Successors>(node_count, successors).run();
}

}  // namespace gprof
