// The threads of this process, as the kernel lists them.
//
// Thread contract: any thread, any signal handler, on a stack that has room for 4 KiB. Threads that
// start or end meanwhile may be visited or not.
#pragma once

#include <cstdint>

#include <fcntl.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {

inline constexpr const char* task_directory = "/proc/self/task";

// Visits the numbers of all threads of the process. False if the kernel does not list them.
template <typename Visit>
bool each_thread(const Visit& visit) {
  struct Entry {
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t size;
    std::uint8_t type;
    char name[1];
  };
  const sys::Result directory = sys::call(__NR_openat, AT_FDCWD, sys::word(task_directory),
                                          O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (sys::failed(directory)) return false;
  alignas(Entry) std::uint8_t buffer[2048];
  sys::Result size = 0;
  while ((size = sys::call(__NR_getdents64, directory, sys::word(buffer), sizeof buffer)) > 0) {
    for (sys::Result place = 0; place < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + place);
      std::uint32_t number = 0;
      for (const char* digit = entry->name; *digit >= '0' && *digit <= '9'; ++digit) {
        number = number * 10 + static_cast<std::uint32_t>(*digit - '0');
      }
      if (number != 0) visit(number);
      place += entry->size;
    }
  }
  sys::call(__NR_close, directory);
  return size == 0;
}

}  // namespace gprof_runtime
