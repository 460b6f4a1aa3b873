// Reads memory that may not be mapped.
//
// The page of a walk's starting stack pointer is taken as readable if it is slightly above a frame
// on the same stack: the walk's own frame or, if the walk runs on another stack, the frame that
// switched stacks. The kernel is asked about any other page, once as long as reads stay nearby.
// Nothing here faults.
//
// Thread contract: one walk of one thread. The memory of the walk's own frames stays readable while
// it runs. Another thread may unmap any other memory after the kernel has been asked, so that is
// read from a MemoryCopy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/system/unchecked.h"

namespace gprof_runtime {

// Copies memory that another thread may unmap meanwhile: the kernel does it. False if not all of it
// can be read, or the kernel refuses.
bool copy_memory(std::uint64_t address, std::size_t size, std::uint8_t* copy);

// A copy, made by the kernel, of memory that another thread may unmap.
class MemoryCopy {
 public:
  // Makes the copy contain [address, address + size). False if that cannot be read, or if the
  // kernel refuses to copy.
  bool holds(std::uint64_t address, std::uint64_t size);
  // How often the kernel has made one.
  std::uint32_t copies() const { return copies_; }
  // The address in the copy of what is at `address`, after holds().
  std::uint64_t place_of(std::uint64_t address) const {
    return reinterpret_cast<std::uint64_t>(bytes_) + (address - begin_);
  }

 private:
  bool take(std::uint64_t begin, std::uint64_t size);

  static constexpr std::uint64_t room = 1024;  // the collector's stack is small

  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t copies_ = 0;
  std::uint8_t bytes_[room];
};

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

  // From now on, reads are from `copy`, which must outlive this and its copies.
  void read_from(MemoryCopy* copy) {
    copy_ = copy;
    low_ = high_ = 0;
  }

  // Whether [address, address + size) is read without asking the kernel; size > 0.
  bool knows(std::uint64_t address, std::uint64_t size) const {
    return copy_ != nullptr || (address >= low_ && address < high_ && size <= high_ - address);
  }

  // Whether [address, address + size) can be read; size > 0.
  bool covers(std::uint64_t address, std::uint64_t size) {
    if (address >= low_ && address < high_ && size <= high_ - address) [[likely]]
      return true;
    return extend(address, size);
  }

  bool read(std::uint64_t address, std::uint64_t* value) {
    if (!covers(address, sizeof *value)) return false;
    *value = word_at(address);
    return true;
  }

  // Counts a copy made by the kernel in place of a direct read, where another thread may unmap the
  // memory.
  void note_copy() { ++copies_; }
  std::uint32_t copies() const { return copies_; }

  // For memory that the last call of covers() reported readable.
  std::uint64_t word_at(std::uint64_t address) const { return read_unchecked(place_of(address)); }
  std::uint8_t byte_at(std::uint64_t address) const {
    return read_byte_unchecked(place_of(address));
  }

  // Only for memory that is readable. Not instrumented, because sanitizers would report reads of
  // other functions' frames.
  GPROF_UNCHECKED static std::uint64_t read_unchecked(std::uint64_t address) {
    using Word __attribute__((aligned(1), may_alias)) = std::uint64_t;
    return *reinterpret_cast<const volatile Word*>(address);
  }

  GPROF_UNCHECKED static std::uint8_t read_byte_unchecked(std::uint64_t address) {
    return *reinterpret_cast<const volatile std::uint8_t*>(address);
  }

 private:
  // The granularity of checks; every kernel's page size is a multiple of it.
  static constexpr std::uint64_t page_size = 4096;
  // More than the kernel's signal frame and a call counter's frames together.
  static constexpr std::uint64_t near = 32 * std::uint64_t{1024};
  static std::uint64_t page_of(std::uint64_t address) { return address & ~(page_size - 1); }
  bool extend(std::uint64_t address, std::uint64_t size);
  std::uint64_t place_of(std::uint64_t address) const {
    return copy_ == nullptr ? address : copy_->place_of(address);
  }

  MemoryCopy* copy_ = nullptr;
  std::uint32_t copies_ = 0;
  // All of [low_, high_) is readable; empty if a copy is read.
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace gprof_runtime
