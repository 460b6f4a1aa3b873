#include "runtime/storage/process_facts.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <time.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {

std::uint64_t process_start_ticks() {
  char text[1024];
  const sys::Result file =
      sys::call(__NR_openat, AT_FDCWD, sys::word("/proc/self/stat"), O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return 0;
  const sys::Result length = sys::call(__NR_read, file, sys::word(text), sizeof text);
  sys::call(__NR_close, file);
  if (length <= 0) return 0;
  // The second field is the program's name in brackets, and may hold anything.
  long place = length - 1;
  while (place > 0 && text[place] != ')') --place;
  constexpr int fields_after_name = 20;
  for (int field = 0; field < fields_after_name; ++field) {
    while (place < length && text[place] != ' ') ++place;
    ++place;
  }
  std::uint64_t ticks = 0;
  for (; place < length && text[place] >= '0' && text[place] <= '9'; ++place) {
    ticks = ticks * 10 + static_cast<std::uint64_t>(text[place] - '0');
  }
  return ticks;
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
