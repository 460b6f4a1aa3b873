#include "tests/unit/dwarf/program_under_test.h"

#include <fstream>

#include <catch2/catch.hpp>

#include "tests/support/build_program.h"
#include "tests/support/skipped_tests.h"

namespace gprof::test {

std::filesystem::path build_program(const std::vector<std::string>& compiler,
                                    const std::vector<std::string>& sources,
                                    const std::filesystem::path& directory) {
  std::vector<std::string> command = compiler;
  for (const std::string& source : sources) command.push_back(program_source(source).string());
  command.insert(command.end(), {"-o", "program"});
  run_or_fail(command, directory);
  return directory / "program";
}

std::filesystem::path build_dwarf_program(const std::vector<std::string>& compiler,
                                          const std::filesystem::path& directory) {
  const bool rust = compiler.front() == "rustc";
  return build_program(compiler,
                       rust ? std::vector<std::string>{"dwarf_box.rs"}
                            : std::vector<std::string>{"dwarf_shapes.cc", "dwarf_outside.cc"},
                       directory);
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += word + " ";
  return text;
}

std::unique_ptr<DebugInformation> open_program(const std::filesystem::path& program) {
  auto image = Image::open(program);
  REQUIRE(image);
  auto debug = DebugInformation::open(*image, program.string());
  INFO((debug ? "" : describe(debug.error())));
  REQUIRE(debug);
  return std::move(*debug);
}

bool have_own_debug_information() {
  auto image = Image::open(own_program);
  REQUIRE(image);
  if ((*image)->find_section(".debug_info") != nullptr) return true;
  skip_test("the tests were built without debug information");
  return false;
}

LineNumber marked_line(const std::string& source, const std::string& mark) {
  std::ifstream in(program_source(source));
  LineNumber number = 0;
  LineNumber found = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (const char* comment : {"// ", "-- ", "! "}) {
      if (!line.ends_with(comment + mark)) continue;
      REQUIRE(found == 0);
      found = number;
    }
  }
  INFO(source << " has no line marked " << mark);
  REQUIRE(found != 0);
  return found;
}

ProgramFunctions::ProgramFunctions(const DebugInformation& debug) {
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) {
    auto functions = debug.functions(unit);
    REQUIRE(functions);
    units_.push_back(std::move(*functions));
  }
}

bool ProgramFunctions::has(const std::string& name) const {
  for (const UnitFunctions& unit : units_) {
    for (const Subprogram& subprogram : unit.subprograms) {
      if (subprogram.name == name) return true;
    }
  }
  return false;
}

Subprogram ProgramFunctions::function(const std::string& name) const {
  const Subprogram* found = nullptr;
  for (const UnitFunctions& unit : units_) {
    for (const Subprogram& subprogram : unit.subprograms) {
      if (subprogram.name != name) continue;
      if (found == nullptr || found->ranges.empty()) found = &subprogram;
    }
  }
  INFO("no function " << name);
  REQUIRE(found != nullptr);
  return *found;
}

std::vector<std::string> ProgramFunctions::inlined_at(const std::string& callee) const {
  std::vector<std::string> found;
  for (const UnitFunctions& unit : units_) {
    for (const InlinedCall& call : unit.inlined_calls) {
      std::string text = unit.subprograms[call.callee].name;
      if (text != callee) continue;
      for (auto parent = call.parent; parent; parent = unit.inlined_calls[*parent].parent) {
        text += " < " + unit.subprograms[unit.inlined_calls[*parent].callee].name;
      }
      found.push_back(text + " < " + unit.subprograms[call.container].name);
    }
  }
  return found;
}

std::vector<InlinedCall> ProgramFunctions::calls_of(const std::string& callee) const {
  std::vector<InlinedCall> found;
  for (const UnitFunctions& unit : units_) {
    for (const InlinedCall& call : unit.inlined_calls) {
      if (unit.subprograms[call.callee].name == callee) found.push_back(call);
    }
  }
  return found;
}

}  // namespace gprof::test
