#include "runtime/system/populate.h"

#include <cstdint>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

// One per process: 1 once the kernel has refused the operation.
std::uint32_t unknown_operation = 0;

}  // namespace

void populate(const void* memory, std::size_t size) {
  constexpr long populate_for_writing = 23;  // MADV_POPULATE_WRITE
  constexpr sys::Result invalid = -22;
  constexpr std::uint64_t page = 4096;
  if (__atomic_load_n(&unknown_operation, __ATOMIC_RELAXED) != 0) return;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::uint64_t begin = address / page * page;
  const std::uint64_t end = (address + size + page - 1) / page * page;
  const sys::Result result = sys::call(__NR_madvise, static_cast<long>(begin),
                                       static_cast<long>(end - begin), populate_for_writing);
  if (result == invalid) __atomic_store_n(&unknown_operation, 1, __ATOMIC_RELAXED);
}

}  // namespace gprof_runtime
