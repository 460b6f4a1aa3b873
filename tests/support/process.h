// Child processes for tests: run without a shell, with everything they print captured.
//
// Units: exit_status is the program's own, or 128 + the signal that ended it, or 127 when it could
// not be started. Thread contract: any thread. Errors: none; a program that cannot be started says
// why in `err`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gprof::test {

struct ProcessResult {
  int exit_status = 0;
  std::string out;
  std::string err;
};

// Runs argv[0] (looked up in PATH when it has no slash) and waits for its end. Standard input is
// empty. `directory` is the working directory, the own one when empty; `environment` is added to
// the own environment and wins over it.
ProcessResult run_process(const std::vector<std::string>& argv,
                          const std::filesystem::path& directory = {},
                          const std::vector<std::pair<std::string, std::string>>& environment = {});

// The executable file of that name in PATH.
std::optional<std::filesystem::path> find_program(std::string_view name);

// An empty directory of the test's own below the build's work folder. `test_name` must differ from
// test to test, because tests run side by side.
std::filesystem::path fresh_directory(std::string_view test_name);

}  // namespace gprof::test
