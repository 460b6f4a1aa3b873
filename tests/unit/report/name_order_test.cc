#include "engine/report/name_order.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/source_function.h"
#include "tests/support/test_seed.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// By comparing whole names.
std::vector<SymbolIndex> expected_order(const SourceSymbolTable& symbols) {
  std::vector<SymbolIndex> order(symbols.size());
  for (SymbolIndex i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](SymbolIndex a, SymbolIndex b) { return symbols[a].name < symbols[b].name; });
  return order;
}

SourceSymbolTable symbols_named(const std::vector<std::string>& names) {
  SourceSymbolTable::Parts parts;
  for (const std::string& name : names) {
    const Address begin = Address{parts.symbols.size() * 16};
    parts.symbols.push_back(source_function(begin, 16, parts.owned_names.emplace_back(name)));
  }
  return SourceSymbolTable(std::move(parts));
}

}  // namespace

TEST_CASE("name order: prefixes come first, whatever their length") {
  const SourceSymbolTable symbols = symbols_named(
      {"function_2", "functionX", "function", "f", "", "function_10", "function_1", "function_1",
       "function_1_and_more_of_it", "function_1_and_more", "\xc3\xa4", "_f", "function_"});
  CHECK(symbols_by_name(symbols) == expected_order(symbols));
}

TEST_CASE("name order: a name that goes on with zeros comes behind the one that ends") {
  const SourceSymbolTable symbols =
      symbols_named({std::string("ab\0\0", 4), "ab", std::string("ab\0", 3),
                     std::string("12345678\0", 9), "12345678", std::string("12345678\0\0", 10)});
  CHECK(symbols_by_name(symbols) == expected_order(symbols));
}

TEST_CASE("name order: random names of few letters") {
  std::mt19937 random(test_seed(7));
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> names;
    for (int i = 0; i < 300; ++i) {
      std::string name(random() % 3 == 0 ? 8 : 0, 'p');
      for (std::size_t letters = random() % 20; letters > 0; --letters) {
        name += static_cast<char>('a' + random() % 2);
      }
      names.push_back(name);
    }
    const SourceSymbolTable symbols = symbols_named(names);
    CHECK(symbols_by_name(symbols) == expected_order(symbols));
  }
}
