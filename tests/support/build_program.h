// Test programs, built with the installed compilers from sources in tests/programs.
//
// Thread contract: any thread. Errors: if a compiler fails, the test ends with its output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gprof::test {

// The path of a source file in tests/programs.
[[nodiscard]] std::filesystem::path program_source(const std::string& name);

// Whether all the programs are installed. If one is missing, skips the test and names it.
[[nodiscard]] bool have_programs(const std::vector<std::string>& names);

// Runs a command in the directory and requires it to succeed.
void run_or_fail(const std::vector<std::string>& argv, const std::filesystem::path& directory);

}  // namespace gprof::test
