#include <thread>

#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// What a reader can see of a program, as numbers.
std::vector<std::size_t> outline(const DebugInformation& debug) {
  std::vector<std::size_t> numbers;
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) {
    const auto rows = debug.rows(unit);
    const auto functions = debug.functions(unit);
    numbers.push_back(rows ? rows->size() : 0);
    numbers.push_back(functions ? functions->subprograms.size() : 0);
    numbers.push_back(functions ? functions->inlined_calls.size() : 0);
    numbers.push_back(debug.files(unit).size());
  }
  return numbers;
}

}  // namespace

TEST_CASE("threads that read a program at the same time see the same") {
  const auto directory = fresh_directory("dwarf_threads");
  if (!have_programs({"g++"})) return;
  const auto program = build_program({"g++", "-std=c++17", "-O2", "-g", "-flto"},
                                     {"dwarf_shapes.cc", "dwarf_outside.cc"}, directory);
  const auto expected = outline(*open_program(program));
  const auto debug = open_program(program);
  std::vector<std::vector<std::size_t>> seen(4);
  std::vector<std::thread> threads;
  threads.reserve(seen.size());
  for (auto& result : seen) {
    threads.emplace_back([&] {
      (void)debug->unit_at(Address{0x1234});
      result = outline(*debug);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : seen) CHECK(result == expected);
  CHECK(expected.size() > 4);
}
