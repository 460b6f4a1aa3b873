// What reports by line read about functions, compared with what the editor does.
#include <algorithm>

#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

struct Code {
  std::string own_name;
  std::string linkage_name;
  std::vector<AddressRange> ranges;
  bool has_indexed_ranges = false;

  friend bool operator==(const Code&, const Code&) = default;
};

std::vector<Code> code_of(const UnitFunctions& unit) {
  std::vector<Code> code;
  for (const Subprogram& function : unit.subprograms) {
    if (function.ranges.empty()) continue;
    code.push_back(
        {function.own_name, function.linkage_name, function.ranges, function.has_indexed_ranges});
  }
  for (const InlinedCall& call : unit.inlined_calls) {
    const Subprogram& callee = unit.subprograms[call.callee];
    code.push_back({callee.own_name, call.linkage_name.value_or(callee.linkage_name), call.ranges,
                    call.has_indexed_ranges});
  }
  return code;
}

std::vector<Code> code_of(const UnitCode& unit) {
  std::vector<Code> code;
  for (const NamedCode& named : unit.functions) {
    const auto first = unit.ranges.begin() + named.first_range;
    code.push_back({std::string(named.own_name),
                    std::string(named.linkage_name),
                    {first, first + named.range_count},
                    named.has_indexed_ranges});
  }
  return code;
}

// For every `step`th unit. Returns how many functions.
std::size_t check_same_code(const DebugInformation& debug, UnitIndex step) {
  std::size_t seen = 0;
  for (UnitIndex unit = 0; unit < debug.units().size(); unit += step) {
    const auto functions = debug.functions(unit);
    const auto named = debug.named_code(unit);
    INFO("unit " << debug.units()[unit].name);
    REQUIRE(functions.has_value() == named.has_value());
    if (!functions) continue;
    const auto expected = code_of(*functions);
    const auto code = code_of(*named);
    const auto [ours, theirs] =
        std::mismatch(code.begin(), code.end(), expected.begin(), expected.end());
    INFO((ours == code.end() ? "" : ours->own_name)
         << " where the editor has " << (theirs == expected.end() ? "" : theirs->own_name));
    CHECK(code == expected);
    seen += code.size();
  }
  return seen;
}

}  // namespace

TEST_CASE("the code of functions and inlined calls is what the editor sees") {
  const auto directory = fresh_directory("dwarf_named_code");
  const std::vector<std::vector<std::string>> commands = {
      {"g++", "-O2", "-g", "-gdwarf-5"},
      {"g++", "-O2", "-g", "-gdwarf-3"},
      {"g++", "-O2", "-g", "-gdwarf-2", "-gstrict-dwarf"},
      {"g++", "-O2", "-g", "-gdwarf64"},
      {"g++", "-O2", "-g", "-fdebug-types-section"},
      {"g++", "-O2", "-g", "-flto"},
      {"g++", "-O2", "-g", "-gsplit-dwarf"},
      {"clang++", "-O2", "-g", "-gdwarf-5"},
      {"clang++", "-O2", "-g", "-gdwarf-4", "-gsplit-dwarf"},
      {"rustc", "-g", "-O"},
  };
  for (const auto& command : commands) {
    INFO(command_text(command));
    if (!have_programs({command.front()})) continue;
    const auto debug = open_program(build_dwarf_program(command, directory));
    CHECK(check_same_code(*debug, 1) > 5);
  }
}

TEST_CASE("the code of this very program's functions is what the editor sees") {
  if (!have_own_debug_information()) return;
  const auto debug = open_program(own_program);
  const std::size_t units = debug->units().size();
  CHECK(check_same_code(*debug, static_cast<UnitIndex>(1 + units / 20)) > 100);
}
