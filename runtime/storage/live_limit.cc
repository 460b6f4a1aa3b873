#include "runtime/storage/live_limit.h"

#include <sys/sysinfo.h>
#include <sys/vfs.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime::live {
namespace {

constexpr std::uint64_t share = 100;
// Counters without a file are in memory that the program may need.
constexpr std::uint64_t most_memory = std::uint64_t{64} << 20U;
constexpr std::uint64_t least_memory = std::uint64_t{4} << 20U;

std::uint64_t bounded(std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low) return low;
  return value < high ? value : high;
}

// Free for the user, on the file's file system; 0 if that is not known.
std::uint64_t free_space(int descriptor) {
#if defined(__NR_fstatfs)
  constexpr long call = __NR_fstatfs;
#else
  constexpr long call = __NR3264_fstatfs;
#endif
  struct statfs status {};
  if (sys::failed(sys::call(call, descriptor, sys::word(&status)))) return 0;
  const auto block = static_cast<std::uint64_t>(status.f_bsize);
  if (block == 0 || status.f_bavail > ~std::uint64_t{0} / block) return 0;
  return status.f_bavail * block;
}

// A hundredth of the machine's memory, within bounds.
std::uint64_t memory_limit() {
  struct sysinfo facts {};
  if (sys::failed(sys::call(__NR_sysinfo, sys::word(&facts)))) return least_memory;
  return bounded(facts.totalram / share * facts.mem_unit, least_memory, most_memory);
}

}  // namespace

Limits choose_limits(std::uint64_t wanted, int descriptor, std::uint64_t taken_in_file) {
  Limits limits = {0, memory_limit(), 0};
  if (wanted != 0) {
    limits.total = wanted < lowest_limit ? lowest_limit : wanted;
    if (limits.in_memory > limits.total) limits.in_memory = limits.total;
    if (descriptor >= 0) limits.in_file = limits.total;
    return limits;
  }
  if (descriptor >= 0) {
    limits.in_file = bounded((free_space(descriptor) + taken_in_file) / share, lowest_limit,
                             highest_default_limit);
  }
  limits.total = limits.in_file < limits.in_memory ? limits.in_memory : limits.in_file;
  return limits;
}

std::uint64_t ceiling_of(Need need, std::uint64_t total) {
  switch (need) {
    case Need::stack:
      return total / 2;
    case Need::larger:
      return total / 4 * 3;
    case Need::first:
      return total / 8 * 7;
    case Need::counted:
      break;
  }
  return total;
}

}  // namespace gprof_runtime::live
