// A growable array of plain data in anonymous memory: no malloc, no exceptions, no destructors.
//
// If memory runs out, append() changes nothing and complete() becomes false for good, so callers
// check once after filling an array, not at each step.
//
// Ownership: the array owns its memory and frees it when destroyed. Thread contract: one thread at
// a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include "runtime/system/populate.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {

// Zero-filled pages; null if out of memory.
inline void* map_anonymous(std::size_t bytes) {
  const sys::Result result = sys::call(__NR_mmap, 0, static_cast<long>(bytes),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys::failed(result) ? nullptr : reinterpret_cast<void*>(result);
}

inline void unmap_anonymous(void* memory, std::size_t bytes) {
  if (memory != nullptr) sys::call(__NR_munmap, sys::word(memory), static_cast<long>(bytes));
}

// Moves the pages to where there is room for `larger` bytes, without touching them. Null if the
// kernel refuses: the memory is as before.
inline void* remap_anonymous(void* memory, std::size_t bytes, std::size_t larger) {
  const sys::Result result = sys::call(__NR_mremap, sys::word(memory), static_cast<long>(bytes),
                                       static_cast<long>(larger), MREMAP_MAYMOVE);
  return sys::failed(result) ? nullptr : reinterpret_cast<void*>(result);
}

template <typename Element>
class AnonymousArray {
  static_assert(__is_trivially_copyable(Element));

 public:
  AnonymousArray() = default;
  AnonymousArray(const AnonymousArray&) = delete;
  AnonymousArray& operator=(const AnonymousArray&) = delete;
  ~AnonymousArray() { unmap_anonymous(elements_, bytes_); }

  bool append(const Element& element) {
    if (!reserve(1)) return false;
    if ((size_ + 1) * sizeof(Element) > populated_) populate_next();
    elements_[size_++] = element;
    return true;
  }

  // Makes room for that many more.
  bool reserve(std::size_t more) {
    if (bytes_ / sizeof(Element) - size_ >= more) return true;
    std::size_t bytes = bytes_ == 0 ? first_size : bytes_;
    while (bytes / sizeof(Element) < size_ + more) {
      if (bytes > largest_size / 2) return fail();
      bytes *= 2;
    }
    void* const moved =
        bytes_ == 0 ? map_anonymous(bytes) : remap_anonymous(elements_, bytes_, bytes);
    if (moved == nullptr) return fail();
    elements_ = static_cast<Element*>(moved);
    bytes_ = bytes;
    return true;
  }

  // Whether every append found memory.
  [[nodiscard]] bool complete() const { return complete_; }

  // For callers that ran out of memory while working on the array.
  void give_up() { complete_ = false; }

  // Swaps the memory of the two arrays, but not their sizes.
  void exchange_memory(AnonymousArray& other) {
    Element* const elements = elements_;
    elements_ = other.elements_;
    other.elements_ = elements;
    const std::size_t bytes = bytes_;
    bytes_ = other.bytes_;
    other.bytes_ = bytes;
    const std::size_t populated = populated_;
    populated_ = other.populated_;
    other.populated_ = populated;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  void shrink(std::size_t size) { size_ = size; }

  Element* data() { return elements_; }
  const Element* data() const { return elements_; }
  Element* begin() { return elements_; }
  Element* end() { return elements_ + size_; }
  const Element* begin() const { return elements_; }
  const Element* end() const { return elements_ + size_; }
  Element& operator[](std::size_t i) { return elements_[i]; }
  const Element& operator[](std::size_t i) const { return elements_[i]; }

 private:
  static constexpr std::size_t first_size = 16384;
  static constexpr std::size_t largest_size = std::size_t{1} << 46;

  // Doubles what is populated, from one page on: most arrays stay small.
  void populate_next() {
    constexpr std::size_t least = 4096;
    constexpr std::size_t most = std::size_t{1} << 20U;
    const std::size_t begin = size_ * sizeof(Element);
    std::size_t more = begin < most ? begin : most;
    if (more < least) more = least;
    const std::size_t end = more < bytes_ - begin ? begin + more : bytes_;
    populate(reinterpret_cast<std::uint8_t*>(elements_) + begin, end - begin);
    populated_ = end;
  }

  bool fail() {
    complete_ = false;
    return false;
  }

  Element* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t populated_ = 0;  // bytes; append() populates what is beyond
  bool complete_ = true;
};

// Counts stop at 2^64 - 1 instead of wrapping.
inline std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}
template <typename Number>
void add_saturating(Number& sum, Number added) {
  if (__builtin_add_overflow(sum, added, &sum)) sum = ~Number{0};
}

}  // namespace gprof_runtime
