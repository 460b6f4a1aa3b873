#include "server/system/memory_limit.h"

#include <filesystem>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

namespace fs = std::filesystem;

// The files in which a system describes its control groups.
class SystemFiles {
 public:
  explicit SystemFiles(const std::string& name) : root_(work_directory() / "memory_limit" / name) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }

  void write(const std::string& path, std::string_view contents) const {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    write_file(file, contents);
  }
  [[nodiscard]] std::optional<std::uint64_t> limit() const { return group_memory_limit(root_); }

 private:
  fs::path root_;
};

}  // namespace

TEST_CASE("memory limit: none where the system tells of none") {
  const SystemFiles system("none");
  CHECK_FALSE(system.limit());
  system.write("proc/self/cgroup", "0::/\n");
  CHECK_FALSE(system.limit());
  system.write("sys/fs/cgroup/memory.max", "max\n");
  CHECK_FALSE(system.limit());
  system.write("sys/fs/cgroup/memory.max", "12 apples\n");
  CHECK(system.limit() == 12);
  system.write("proc/self/cgroup", "nonsense\n:\n4:cpu:/\n");
  CHECK_FALSE(system.limit());
}

TEST_CASE("memory limit: the least of a group and those that it is in") {
  const SystemFiles system("unified");
  system.write("proc/self/cgroup", "0::/user.slice/job\n");
  system.write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  system.write("sys/fs/cgroup/user.slice/memory.max", "4000000\n");
  CHECK(system.limit() == 4000000);
  system.write("sys/fs/cgroup/user.slice/job/memory.max", "3000000\n");
  CHECK(system.limit() == 3000000);
}

TEST_CASE("memory limit: groups of the first version") {
  const SystemFiles system("first");
  system.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  system.write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "5000000\n");
  CHECK(system.limit() == 5000000);
}
