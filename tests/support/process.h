// Child processes for tests: run without a shell, with everything they print captured.
//
// Units: exit_status is the program's own, or 128 + the signal that ended it, or 127 if it could
// not be started. Thread contract: any thread. Errors: none; if the program cannot be started,
// `err` says why.
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

// Runs argv[0] (looked up in PATH if it has no slash) and waits for it to end. Standard input is
// empty. `directory` is the working directory; if empty, the current one. `environment` is added to
// this process's and overrides it.
ProcessResult run_process(const std::vector<std::string>& argv,
                          const std::filesystem::path& directory = {},
                          const std::vector<std::pair<std::string, std::string>>& environment = {});

// The executable with that name in PATH.
std::optional<std::filesystem::path> find_program(std::string_view name);

// A directory below the build's that no other process of the tests has, because tests run side by
// side. It goes away with the process.
const std::filesystem::path& work_directory();

// An empty directory in it; what an earlier test left under that name is removed.
std::filesystem::path fresh_directory(std::string_view name);

}  // namespace gprof::test
