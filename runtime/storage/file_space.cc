#include "runtime/storage/file_space.h"

#include <sys/resource.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {

std::uint64_t file_size_limit() {
  struct {
    std::uint64_t current;
    std::uint64_t highest;
  } limit = {~std::uint64_t{0}, 0};
  sys::call(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, sys::word(&limit));
  return limit.current;
}

bool reserve_file_space(int descriptor, std::uint64_t offset, std::size_t size) {
  constexpr sys::Result interrupted = -4;
  constexpr sys::Result not_supported = -95;
  constexpr sys::Result not_implemented = -38;
  const std::uint64_t limit = file_size_limit();
  if (size > limit || offset > limit - size) return false;
  sys::Result result = interrupted;
  for (int attempt = 0; result == interrupted && attempt < 100; ++attempt) {
    result = sys::call(__NR_fallocate, descriptor, 0, static_cast<long>(offset),
                       static_cast<long>(size));
  }
  if (!sys::failed(result)) return true;
  if (result != not_supported && result != not_implemented) return false;
  // The file system cannot reserve space: write the bytes.
  static const std::uint8_t zeros[4096] = {};
  for (std::size_t done = 0; done < size;) {
    const std::size_t rest = size - done;
    const sys::Result written =
        sys::call(__NR_pwrite64, descriptor, sys::word(zeros),
                  static_cast<long>(rest < sizeof zeros ? rest : sizeof zeros),
                  static_cast<long>(offset + done));
    if (written == interrupted) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace gprof_runtime
