#include "engine/import/stack_table.h"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/import/perf_data/rules_by_code.h"
#include "tests/support/test_seed.h"

using namespace gprof;

TEST_CASE("stack table: numbers stacks as they come, and finds them again") {
  StackTable table;
  std::map<std::vector<ModuleAddress>, std::uint32_t> expected;
  std::mt19937 random(test_seed(7));
  std::size_t frames = 0;
  for (int i = 0; i < 20000; ++i) {
    // Few different addresses, so that many stacks come again and many begin alike.
    std::vector<ModuleAddress> stack(1 + random() % 7);
    for (ModuleAddress& frame : stack)
      frame = {static_cast<std::uint32_t>(random() % 2), {random() % 8}};
    const auto next = static_cast<std::uint32_t>(expected.size());
    const auto [known, is_new] = expected.try_emplace(stack, next);
    REQUIRE(table.find(stack).has_value() == !is_new);
    REQUIRE(table.find_or_add(stack) == known->second);
    if (is_new) frames += stack.size();
  }
  REQUIRE(expected.size() > 5000);
  CHECK(table.size() == expected.size());
  CHECK(table.frames() == frames);
  for (const auto& [stack, number] : expected) {
    REQUIRE(table.find(stack) == number);
    REQUIRE(std::vector(table[number].begin(), table[number].end()) == stack);
  }
}

TEST_CASE("rules by code: what was added is found, and that there is none is known as well") {
  perf_data::RulesByCode<int> rules;
  const int rule = 1;
  CHECK_FALSE(rules.find(0));
  CHECK_FALSE(rules.find(~std::uint64_t{0}));
  for (std::uint64_t code = 0; code < 5000; ++code) rules.add(code * 3, code % 2 ? &rule : nullptr);
  CHECK(rules.size() == 5000);
  for (std::uint64_t code = 0; code < 5000; ++code) {
    REQUIRE(rules.find(code * 3) == (code % 2 ? &rule : nullptr));
    REQUIRE_FALSE(rules.find(code * 3 + 1));
  }
  rules.add(~std::uint64_t{0}, &rule);
  CHECK_FALSE(rules.find(~std::uint64_t{0}));
  CHECK(rules.size() == 5000);
  rules.clear();
  CHECK(rules.size() == 0);
  CHECK_FALSE(rules.find(3));
}
