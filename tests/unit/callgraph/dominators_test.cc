#include "engine/callgraph/dominators.h"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;

namespace {

using Arcs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

ArcLists lists_of(std::uint32_t count, const Arcs& arcs) {
  ArcLists lists;
  lists.first.push_back(0);
  for (std::uint32_t node = 0; node < count; ++node) {
    for (const auto& [from, to] : arcs) {
      if (from == node) lists.targets.push_back(to);
    }
    lists.first.push_back(static_cast<std::uint32_t>(lists.targets.size()));
  }
  return lists;
}

// Without the node `closed`.
std::vector<bool> reached_without(std::uint32_t count, const Arcs& arcs,
                                  const std::vector<std::uint32_t>& roots, std::uint32_t closed) {
  std::vector<bool> reached(count);
  for (const std::uint32_t root : roots) reached[root] = root != closed;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [from, to] : arcs) {
      if (!reached[from] || reached[to] || to == closed) continue;
      reached[to] = more = true;
    }
  }
  return reached;
}

}  // namespace

TEST_CASE("a node dominates what no way reaches without it") {
  std::mt19937 random(test_seed(1));
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<std::uint32_t>(1 + random() % 12);
    Arcs arcs;
    for (auto left = random() % (3 * count); left > 0; --left) {
      arcs.emplace_back(random() % count, random() % count);
    }
    std::vector<std::uint32_t> roots = {0};
    if (random() % 3 == 0) roots.push_back(static_cast<std::uint32_t>(random() % count));
    const DominatorTree tree(lists_of(count, arcs), roots);
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<double>(random() % 100);
    const std::vector<double> sums = tree.sums_behind(values);
    const std::vector<bool> all = reached_without(count, arcs, roots, count);
    for (std::uint32_t above = 0; above < count; ++above) {
      const std::vector<bool> others = reached_without(count, arcs, roots, above);
      double sum = 0;
      for (std::uint32_t node = 0; node < count; ++node) {
        const bool behind = all[above] && all[node] && !others[node];
        INFO("round " << round << " " << above << " above " << node);
        CHECK(tree.dominates(above, node) == behind);
        if (behind) sum += values[node];
      }
      CHECK(sums[above] == sum);
      CHECK(tree.is_reached(above) == all[above]);
    }
  }
}

TEST_CASE("of nodes that dominate each other the outermost ones are told") {
  const DominatorTree tree(lists_of(5, {{0, 1}, {1, 2}, {0, 3}}), std::vector<std::uint32_t>{0});
  CHECK(tree.outermost(std::vector<std::uint32_t>{2, 1, 3, 4}) == std::vector<std::uint32_t>{1, 3});
}

TEST_CASE("a chain as deep as a program has functions is no recursion") {
  constexpr std::uint32_t count = 300'000;
  ArcLists chain;
  for (std::uint32_t node = 0; node < count; ++node) {
    chain.first.push_back(node);
    if (node + 1 < count) chain.targets.push_back(node + 1);
  }
  chain.first.push_back(count - 1);
  const DominatorTree tree(chain, std::vector<std::uint32_t>{0});
  CHECK(tree.dominates(0, count - 1));
  CHECK(tree.sums_behind(std::vector<double>(count, 1)).front() == count);
}
