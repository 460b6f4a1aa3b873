#include "runtime/storage/process_facts.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <time.h>

#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {

namespace {

constexpr std::size_t longest_status = 1024;
constexpr int parent_field = 4;
constexpr int start_field = 22;

// A field, from 3 on, of /proc/PROCESS/stat; 0 if it cannot be read.
std::uint64_t status_field(const char* path, int field) {
  char text[longest_status];
  const sys::Result file = sys::call(__NR_openat, AT_FDCWD, sys::word(path), O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return 0;
  const sys::Result length = sys::call(__NR_read, file, sys::word(text), sizeof text);
  sys::call(__NR_close, file);
  if (length <= 0) return 0;
  // The second field is the program's name in parentheses and may contain anything.
  long place = length - 1;
  while (place > 0 && text[place] != ')') --place;
  for (int at = 2; at < field; ++at) {
    while (place < length && text[place] != ' ') ++place;
    ++place;
  }
  std::uint64_t value = 0;
  for (; place < length && text[place] >= '0' && text[place] <= '9'; ++place) {
    value = value * 10 + static_cast<std::uint64_t>(text[place] - '0');
  }
  return value;
}

std::uint64_t status_field_of(std::uint32_t process, int field) {
  Text<64> path;
  path.add("/proc/").add(process).add("/stat");
  return status_field(path.c_str(), field);
}

}  // namespace

std::uint64_t process_start_ticks() { return status_field("/proc/self/stat", start_field); }

std::uint64_t process_start_ticks(std::uint32_t process) {
  return status_field_of(process, start_field);
}

std::uint32_t parent_of(std::uint32_t process) {
  return static_cast<std::uint32_t>(status_field_of(process, parent_field));
}

std::uint64_t realtime_nanoseconds() {
  struct timespec now {};
  if (sys::failed(sys::call(__NR_clock_gettime, CLOCK_REALTIME, sys::word(&now)))) return 0;
  constexpr std::uint64_t nanoseconds_a_second = 1000000000;
  return static_cast<std::uint64_t>(now.tv_sec) * nanoseconds_a_second +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t entry_address() { return getauxval(AT_ENTRY); }

}  // namespace gprof_runtime
