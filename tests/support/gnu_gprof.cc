#include "tests/support/gnu_gprof.h"

#include "tests/support/files.h"
#include "tests/support/process.h"

namespace gprof::test {

std::string gprof_of_nothing(const std::filesystem::path& program,
                             const std::vector<std::string>& options) {
  const auto profile = program.parent_path() / "empty.gmon";
  std::string header("gmon\1\0\0\0", 8);
  header.resize(20, '\0');
  write_file(profile, header);
  std::vector<std::string> command = {"gprof", "-z", "-b"};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {program, profile});
  return run_process(command, program.parent_path()).out;
}

}  // namespace gprof::test
