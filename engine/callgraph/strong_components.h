// Strongly connected components (Tarjan 1972), without recursion: a call chain may be as deep as
// the program has functions.
//
// Thread contract: a pure function. Cost: linear in nodes and arcs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace gprof {

// Component i holds members[first[i]] to members[first[i + 1] - 1]. Components stand in reverse
// topological order: whatever a component reaches stands before it.
struct StrongComponents {
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> first;
};

// `successor(node, k)` gives the k-th successor of a node as an optional, none past the last.
template <typename Successor>
[[nodiscard]] StrongComponents strong_components(std::uint32_t node_count,
                                                 const Successor& successor) {
  constexpr std::uint32_t unvisited = std::numeric_limits<std::uint32_t>::max();
  struct Frame {
    std::uint32_t node;
    std::size_t next_successor;
  };
  StrongComponents result;
  std::vector<std::uint32_t> number(node_count, unvisited);
  std::vector<std::uint32_t> low_link(node_count, 0);
  std::vector<bool> on_stack(node_count, false);
  std::vector<std::uint32_t> stack;
  std::vector<Frame> path;
  std::uint32_t visited = 0;

  auto enter = [&](std::uint32_t node) {
    number[node] = low_link[node] = visited++;
    stack.push_back(node);
    on_stack[node] = true;
    path.push_back({node, 0});
  };
  auto leave = [&](std::uint32_t node) {
    path.pop_back();
    if (!path.empty()) {
      low_link[path.back().node] = std::min(low_link[path.back().node], low_link[node]);
    }
    if (low_link[node] != number[node]) return;
    result.first.push_back(static_cast<std::uint32_t>(result.members.size()));
    std::uint32_t member = unvisited;
    do {
      member = stack.back();
      stack.pop_back();
      on_stack[member] = false;
      result.members.push_back(member);
    } while (member != node);
  };

  for (std::uint32_t root = 0; root < node_count; ++root) {
    if (number[root] != unvisited) continue;
    enter(root);
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      const auto next = successor(node, path.back().next_successor++);
      if (!next) {
        leave(node);
      } else if (number[*next] == unvisited) {
        enter(*next);
      } else if (on_stack[*next]) {
        low_link[node] = std::min(low_link[node], number[*next]);
      }
    }
  }
  result.first.push_back(static_cast<std::uint32_t>(result.members.size()));
  return result;
}

}  // namespace gprof
