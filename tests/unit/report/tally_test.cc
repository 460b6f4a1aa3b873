#include "engine/report/tally.h"

#include "tests/support/source_function.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

RawProfile samples_of(std::uint64_t low, std::uint64_t high, std::vector<std::uint64_t> bins) {
  RawProfile raw;
  raw.rate = 100;
  raw.histograms = {{Address{low}, Address{high}, std::move(bins)}};
  return raw;
}

SymspecTables excluding(const SourceSymbolTable& symbols, const std::string& name) {
  const SymspecChoice choice{SymspecList::exclude_flat, name};
  return SymspecTables::build(std::span(&choice, 1), symbols);
}

}  // namespace

TEST_CASE("tally: a bin is shared out by the parts of it that functions cover") {
  const SourceSymbolTable symbols = functions_named({"a", "b"});
  // One bin over the last quarter of a and the first half of b.
  const SampleTally tally = tally_samples(samples_of(code_start + 0x30, code_start + 0x60, {12}),
                                          symbols, SymspecTables());
  CHECK(tally.self[0] == Approx(4));
  CHECK(tally.self[1] == Approx(8));
  CHECK(tally.total == 12);
  CHECK(tally.unattributed == 0);
  CHECK(tally.scale == 0x18);
  CHECK(tally.rate == 100);
}

TEST_CASE("tally: samples in no function stay in the total") {
  const SourceSymbolTable symbols = functions_named({"a"});
  const SampleTally tally = tally_samples(
      samples_of(code_start - 0x40, code_start + 0x80, {5, 7, 9}), symbols, SymspecTables());
  CHECK(tally.self[0] == 7);
  CHECK(tally.total == 21);
  CHECK(tally.unattributed == 14);
}

TEST_CASE("tally: what the flat profile leaves out leaves its total, too") {
  const SourceSymbolTable symbols = functions_named({"a", "b"});
  const SampleTally tally = tally_samples(samples_of(code_start, code_start + 0x80, {5, 7}),
                                          symbols, excluding(symbols, "a"));
  CHECK(tally.self == std::vector<Ticks>{0, 7});
  CHECK(tally.total == 7);
  CHECK(tally.unattributed == 0);
}

TEST_CASE("tally: the last function gets the samples up to its end") {
  const SampleTally tally = tally_samples(samples_of(code_start, code_start + 0xc0, {5, 7, 9}),
                                          functions_named({"a", "b"}), SymspecTables());
  CHECK(tally.self == std::vector<Ticks>{5, 7});
  CHECK(tally.unattributed == 9);
}

TEST_CASE("tally: no samples") {
  const SampleTally tally = tally_samples(RawProfile(), functions_named({"a"}), SymspecTables());
  CHECK(tally.self == std::vector<Ticks>{0});
  CHECK(tally.total == 0);
  CHECK(tally.scale == 0);
}

TEST_CASE("tally: arcs of one pair of functions are one, the newest first") {
  RawProfile raw;
  raw.arcs = {{entry_of(0) + 4, entry_of(1), 3},
              {entry_of(0) + 8, entry_of(2), 1},
              {entry_of(0) + 12, entry_of(1) + 4, 4}};
  const auto arcs = tally_arcs(raw, functions_named({"a", "b", "c"}), SymspecTables());
  REQUIRE(arcs.size() == 2);
  CHECK(arcs[0].callee == 2);
  CHECK(arcs[1].callee == 1);
  CHECK(arcs[1].count == 7);
}

TEST_CASE("tally: arcs with an end in no function are dropped") {
  RawProfile raw;
  raw.arcs = {{Address{}, entry_of(0), 1}, {entry_of(0), entry_of(1) + function_size, 1}};
  CHECK(tally_arcs(raw, functions_named({"a", "b"}), SymspecTables()).empty());
}

TEST_CASE("tally: a call of a label is one of the function before it") {
  SourceSymbolTable::Parts parts;
  for (const std::uint64_t i : {0, 1, 2}) {
    parts.symbols.push_back(
        source_function(entry_of(static_cast<SymbolIndex>(i)), function_size, {}));
    parts.symbols.back().is_function = i == 1;
  }
  const SourceSymbolTable symbols(std::move(parts));
  RawProfile raw;
  raw.arcs = {{entry_of(2), entry_of(2), 6}, {entry_of(2), entry_of(0), 9}};
  const auto arcs = tally_arcs(raw, symbols, SymspecTables());
  REQUIRE(arcs.size() == 1);
  CHECK(arcs[0].caller == 2);
  CHECK(arcs[0].callee == 1);
  CHECK(arcs[0].count == 6);
}

TEST_CASE("tally: counts of an arc saturate") {
  RawProfile raw;
  raw.arcs = {{entry_of(0), entry_of(1), ~std::uint64_t{0}}, {entry_of(0), entry_of(1), 5}};
  const auto arcs = tally_arcs(raw, functions_named({"a", "b"}), SymspecTables());
  REQUIRE(arcs.size() == 1);
  CHECK(arcs[0].count == ~std::uint64_t{0});
}
