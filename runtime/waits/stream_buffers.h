// What the buffer of a stream holds: reading no more than that does not wait.
//
// Looks at a stream that another thread may be reading: what it finds may be outdated then, and a
// wait is not measured, or what is none is. Thread contract: that of the stream's functions.
#pragma once

#include <cstdint>
#include <cstdio>

namespace gprof_runtime::waits {

// For functions that read up to a character, however far it is.
inline constexpr std::uint64_t any_size = ~std::uint64_t{0} >> 1U;

inline const FILE& stream_at(std::uint64_t address) {
  return *reinterpret_cast<const FILE*>(address);
}

inline std::uint64_t held_by(const FILE& stream) {
  const char* const from = stream._IO_read_ptr;
  const char* const end = stream._IO_read_end;
  return from < end ? static_cast<std::uint64_t>(end - from) : 0;
}

// Whether so many elements of that size are there.
inline bool holds(std::uint64_t stream, std::uint64_t size, std::uint64_t count) {
  std::uint64_t bytes = 0;
  return !__builtin_mul_overflow(size, count, &bytes) && held_by(stream_at(stream)) >= bytes;
}

// Whether the character is there, or `size` - 1 others.
inline bool holds_text(std::uint64_t stream, int character, std::uint64_t size) {
  const FILE& file = stream_at(stream);
  std::uint64_t held = held_by(file);
  const auto wanted = static_cast<std::uint64_t>(static_cast<std::uint32_t>(size));
  if (size != any_size && held + 1 >= wanted) return true;
  const char* at = file._IO_read_ptr;
  for (; held != 0; --held, ++at) {
    if (static_cast<unsigned char>(*at) == static_cast<unsigned char>(character)) return true;
  }
  return false;
}

}  // namespace gprof_runtime::waits
