#include "runtime/system/readable.h"

#include <sys/uio.h>

#include "runtime/system/syscalls.h"
#include "runtime/system/valgrind.h"

namespace gprof_runtime {
namespace {

constexpr long error_invalid = 22;  // EINVAL
constexpr std::uint64_t longest = 1U << 20U;

// The kernel copies the signal set from `page` before it checks the operation: an invalid operation
// changes nothing and fails with EINVAL if the set could be read, with EFAULT if it could not.
bool first_word_is_readable(std::uint64_t page) {
  constexpr long no_operation = ~0L;
  constexpr long size_of_set = 8;
  return sys::call(__NR_rt_sigprocmask, no_operation, static_cast<long>(page), 0, size_of_set) ==
         -error_invalid;
}

// Valgrind prints every such operation, and what is uninitialised in the set. Since Linux 5.14
// there is another way, which takes longer and can be of no use elsewhere.
bool page_is_readable(std::uint64_t page) {
  if (!valgrind::is_running()) return first_word_is_readable(page);
  constexpr long populate_for_reading = 22;  // MADV_POPULATE_READ
  const sys::Result result =
      sys::call(__NR_madvise, static_cast<long>(page), 4096, populate_for_reading);
  return result == 0 || (result == -error_invalid && first_word_is_readable(page));
}

// The number of bytes copied, up to the first page that cannot be read, or a negative errno.
sys::Result copy_from(std::uint64_t address, std::size_t size, std::uint8_t* copy) {
  const iovec to = {copy, size};
  const iovec from = {reinterpret_cast<void*>(address), size};
  const sys::Result self = sys::call(__NR_getpid);
  if (sys::failed(self)) return self;
  return sys::call(__NR_process_vm_readv, static_cast<long>(self), sys::word(&to), 1,
                   sys::word(&from), 1, 0);
}

}  // namespace

bool copy_memory(std::uint64_t address, std::size_t size, std::uint8_t* copy) {
  return copy_from(address, size, copy) == static_cast<sys::Result>(size);
}

bool MemoryCopy::holds(std::uint64_t address, std::uint64_t size) {
  if (address >= begin_ && address < end_ && size <= end_ - address) return true;
  if (size > room) return false;
  // A caller that reads downwards will read further down, unless the mapping begins here.
  const bool downwards = address < begin_ && begin_ - address <= room && address >= room;
  return (downwards && take(address + size - room, room)) || take(address, size);
}

// Copies as much as there is room for. False if that is less than `size` bytes.
bool MemoryCopy::take(std::uint64_t begin, std::uint64_t size) {
  ++copies_;
  const sys::Result copied = copy_from(begin, room, bytes_);
  begin_ = begin;
  end_ = begin + (copied > 0 ? static_cast<std::uint64_t>(copied) : 0);
  return size <= end_ - begin_;
}

bool ReadableMemory::extend(std::uint64_t address, std::uint64_t size) {
  if (copy_ != nullptr) return copy_->holds(address, size);
  if (size > longest || address + size < address) return false;
  const std::uint64_t last = page_of(address + size - 1);
  for (std::uint64_t page = page_of(address);; page += page_size) {
    if (page < low_ || page >= high_) {
      if (page == 0 || !page_is_readable(page)) return false;
      if (page == high_) {
        high_ += page_size;
      } else if (page + page_size == low_ && high_ != 0) {
        low_ = page;
      } else {
        low_ = page;
        high_ = page + page_size;
      }
    }
    if (page == last) return true;
  }
}

}  // namespace gprof_runtime
