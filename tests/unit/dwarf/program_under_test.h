// Programs built for the tests of the DWARF reader, and queries about what was read.
//
// Thread contract: one thread. Errors: a program that does not build or open ends the test.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/dwarf/debug_information.h"

namespace gprof::test {

// Builds sources of tests/programs into `directory`/program; `compiler` includes its options.
[[nodiscard]] std::filesystem::path build_program(const std::vector<std::string>& compiler,
                                                  const std::vector<std::string>& sources,
                                                  const std::filesystem::path& directory);

// The program of dwarf_shapes.cc and dwarf_outside.cc, or that of dwarf_box.rs for rustc.
[[nodiscard]] std::filesystem::path build_dwarf_program(const std::vector<std::string>& compiler,
                                                        const std::filesystem::path& directory);
// A command as one types it.
[[nodiscard]] std::string command_text(const std::vector<std::string>& command);

[[nodiscard]] std::unique_ptr<DebugInformation> open_program(const std::filesystem::path& program);

// The running program. Where it was built without debug information the test is skipped.
inline constexpr const char* own_program = "/proc/self/exe";
[[nodiscard]] bool have_own_debug_information();

// The number of the line in a source of tests/programs that ends with "// MARK" (or the comment of
// its language). There must be exactly one.
[[nodiscard]] LineNumber marked_line(const std::string& source, const std::string& mark);

// All functions and inlined calls of a program.
class ProgramFunctions {
 public:
  explicit ProgramFunctions(const DebugInformation& debug);

  // The function with that name, preferring one with code. Ends the test if there is none.
  [[nodiscard]] Subprogram function(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  // "callee < parent < container" for each inlined call of a function with that name.
  [[nodiscard]] std::vector<std::string> inlined_at(const std::string& callee) const;
  [[nodiscard]] std::vector<InlinedCall> calls_of(const std::string& callee) const;

 private:
  std::vector<UnitFunctions> units_;
};

}  // namespace gprof::test
