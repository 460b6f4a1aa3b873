#include "runtime/system/small_file.h"

#include <fcntl.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {

std::size_t read_small_file(const char* path, char* text, std::size_t size) {
  const sys::Result file = sys::call(__NR_openat, AT_FDCWD, sys::word(path), O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return 0;
  const sys::Result length = sys::call(__NR_read, file, sys::word(text), static_cast<long>(size));
  sys::call(__NR_close, file);
  return sys::failed(length) ? 0 : static_cast<std::size_t>(length);
}

}  // namespace gprof_runtime
