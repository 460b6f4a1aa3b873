// Test programs, built with the installed compilers from sources in tests/programs.
//
// Thread contract: any thread. Errors: a compiler that fails ends the test with what it printed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gprof::test {

// The path of a source file in tests/programs.
[[nodiscard]] std::filesystem::path program_source(const std::string& name);

// Whether every one of the programs is installed. Skips the test for the first one that is not.
[[nodiscard]] bool have_programs(const std::vector<std::string>& names);

// Runs a command in the directory and requires that it succeeds.
void run_or_fail(const std::vector<std::string>& argv, const std::filesystem::path& directory);

}  // namespace gprof::test
