#include "tests/support/build_program.h"

#include <catch2/catch.hpp>

#include "test_paths.h"
#include "tests/support/process.h"
#include "tests/support/skipped_tests.h"

namespace gprof::test {

std::filesystem::path program_source(const std::string& name) {
  return std::filesystem::path(GPROF_LSP_TEST_PROGRAMS) / name;
}

bool have_programs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (find_program(name)) continue;
    skip_test("no " + name);
    return false;
  }
  return true;
}

void run_or_fail(const std::vector<std::string>& argv, const std::filesystem::path& directory) {
  const ProcessResult result = run_process(argv, directory);
  INFO(argv.front() << ": " << result.err << result.out);
  REQUIRE(result.exit_status == 0);
}

}  // namespace gprof::test
