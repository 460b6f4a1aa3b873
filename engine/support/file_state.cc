#include "engine/support/file_state.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>

namespace gprof {
namespace {

// For file systems that keep whole seconds.
constexpr FileTime coarse_settling_time = 2'000'000'000;
constexpr FileTime second = 1'000'000'000;

FileTime nanoseconds(const struct timespec& time) {
  return FileTime{time.tv_sec} * second + FileTime{time.tv_nsec};
}

// Differs after each boot.
std::string start_of_machine() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

}  // namespace

FileTime file_time_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

bool is_settled(FileTime changed, FileTime at) {
  return changed < at - (changed % second == 0 ? coarse_settling_time : settling_time);
}

FileVersion version_of(const std::string& path) {
  return {path, file_stamp(path), file_change_time(path)};
}

bool is_settled(const FileVersion& version, FileTime at) {
  if (!version.stamp || !version.changed) return true;
  return is_settled(std::max(version.stamp->modified, *version.changed), at);
}

std::string file_state(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return "";
  const FileTime modified = nanoseconds(status.st_mtim);
  const FileTime changed = nanoseconds(status.st_ctim);
  const std::string start = start_of_machine();
  if (start.empty() || !is_settled(std::max(modified, changed), file_time_now())) return "";
  return fmt::format("{} {} {} {} {} {}", start, status.st_dev, status.st_ino, status.st_size,
                     modified, changed);
}

}  // namespace gprof
