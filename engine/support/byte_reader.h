// Bounds-checked reading of integers from bytes in memory. The engine reads every file format that
// it uses no library for this way.
//
// Ownership: borrows the bytes. Thread contract: one thread.
// Errors: every read names the file and the offset; a failed read does not move the reader.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "engine/support/expected.h"
#include "engine/support/units.h"

namespace gprof {

// Precondition: `bytes` holds the whole integer.
template <typename Integer>
[[nodiscard]] inline Integer stored_integer(const std::byte* bytes, ByteOrder order) {
  Integer value = 0;
  std::memcpy(&value, bytes, sizeof value);
  constexpr bool little_machine = std::endian::native == std::endian::little;
  if ((order == ByteOrder::little) == little_machine) return value;
  if constexpr (sizeof value == 2) return __builtin_bswap16(value);
  if constexpr (sizeof value == 4) return __builtin_bswap32(value);
  if constexpr (sizeof value == 8) return __builtin_bswap64(value);
  return value;
}

class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, ByteOrder order, std::string path)
      : bytes_(bytes), order_(order), path_(std::move(path)) {}

  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t remaining() const { return bytes_.size() - offset_; }
  [[nodiscard]] bool at_end() const { return remaining() == 0; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // `what` names the field in the message of a failed read, e.g. "number of bins".
  Expected<std::uint8_t> read_u8(std::string_view what) { return read_integer<std::uint8_t>(what); }
  Expected<std::uint16_t> read_u16(std::string_view what) {
    return read_integer<std::uint16_t>(what);
  }
  Expected<std::uint32_t> read_u32(std::string_view what) {
    return read_integer<std::uint32_t>(what);
  }
  Expected<std::uint64_t> read_u64(std::string_view what) {
    return read_integer<std::uint64_t>(what);
  }
  Expected<std::uint64_t> read_word(PointerWidth width, std::string_view what);
  Expected<Address> read_address(PointerWidth width, std::string_view what);
  // A view of the next `size` bytes, without a copy.
  Expected<std::span<const std::byte>> read_bytes(std::uint64_t size, std::string_view what);

  // An error that names this file and the current offset.
  [[nodiscard]] Error error(ErrorCode code, std::string message) const;

 private:
  // Inline: files hold integers by the million.
  template <typename Integer>
  Expected<Integer> read_integer(std::string_view what) {
    if (sizeof(Integer) > remaining()) return ends_inside(what, sizeof(Integer));
    const auto value = stored_integer<Integer>(bytes_.data() + offset_, order_);
    offset_ += sizeof(Integer);
    return value;
  }
  [[nodiscard]] Error ends_inside(std::string_view what, std::uint64_t size) const;

  std::span<const std::byte> bytes_;
  ByteOrder order_;
  std::string path_;
  std::uint64_t offset_ = 0;
};

}  // namespace gprof
