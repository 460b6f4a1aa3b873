// Reads memory that may not be there.
//
// The page of the stack pointer where a walk starts is readable if that is a little above a frame
// on the same stack: the walk's own or, of a walk on another stack, the one that led there. Of any
// other page the kernel is asked, once as long as the reads stay near.
// Nothing here faults.
//
// Thread contract: one walk of one thread. What was readable is assumed to stay so during the walk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/unwind/unchecked.h"

namespace gprof_runtime {

class ReadableMemory {
 public:
  ReadableMemory() = default;
  explicit ReadableMemory(
      std::uint64_t stack_pointer,
      std::uint64_t here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))) {
    if (stack_pointer - here >= near) return;  // another stack, or no stack pointer at all
    low_ = page_of(stack_pointer);
    high_ = low_ + page_size;
  }

  // Whether [address, address + size) can be read; size > 0.
  bool covers(std::uint64_t address, std::uint64_t size) {
    if (address >= low_ && address < high_ && size <= high_ - address) [[likely]]
      return true;
    return extend(address, size);
  }

  bool read(std::uint64_t address, std::uint64_t* value) {
    if (!covers(address, sizeof *value)) return false;
    *value = read_unchecked(address);
    return true;
  }

  // Of memory that covers() has said to be readable. Not instrumented by sanitizers: words of other
  // functions' frames are none of theirs to judge.
  GPROF_UNCHECKED static std::uint64_t read_unchecked(std::uint64_t address) {
    using Word __attribute__((aligned(1), may_alias)) = std::uint64_t;
    return *reinterpret_cast<const volatile Word*>(address);
  }

  GPROF_UNCHECKED static std::uint8_t read_byte_unchecked(std::uint64_t address) {
    return *reinterpret_cast<const volatile std::uint8_t*>(address);
  }

 private:
  // The unit of asking; the pages of every kernel are multiples of it.
  static constexpr std::uint64_t page_size = 4096;
  // More than the kernel's part of a signal handler's stack, with the frames of a call counter.
  static constexpr std::uint64_t near = 32 * std::uint64_t{1024};
  static std::uint64_t page_of(std::uint64_t address) { return address & ~(page_size - 1); }
  bool extend(std::uint64_t address, std::uint64_t size);

  // All of [low_, high_) is readable.
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace gprof_runtime
