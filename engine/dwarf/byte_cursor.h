// Reads the bytes of one unit in order. Reads past the end return zeros and set ended_early():
// returning a result for each byte, as ByteReader does, would more than halve the speed of code
// that reads every byte of a program's debug information.
//
// Ownership: borrows the bytes. Thread contract: one thread. Errors: ended_early().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "engine/support/byte_reader.h"

namespace gprof::dwarf {

class ByteCursor {
 public:
  ByteCursor(std::span<const std::byte> bytes, ByteOrder order) : bytes_(bytes), order_(order) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] bool at_end() const { return position_ >= bytes_.size(); }
  // Whether a read went past the end.
  [[nodiscard]] bool ended_early() const { return ended_early_; }

  void move_to(std::uint64_t position) {
    if (position > bytes_.size()) {
      end();
    } else {
      position_ = position;
    }
  }
  void skip(std::uint64_t size) {
    if (size > bytes_.size() - position_) {
      end();
    } else {
      position_ += size;
    }
  }

  std::uint8_t byte() {
    if (position_ >= bytes_.size()) {
      ended_early_ = true;
      return 0;
    }
    return std::to_integer<std::uint8_t>(bytes_[position_++]);
  }

  // An integer of up to 8 bytes.
  std::uint64_t fixed(std::uint64_t size) {
    switch (size) {
      case 2:
        return integer<std::uint16_t>();
      case 4:
        return integer<std::uint32_t>();
      case 8:
        return integer<std::uint64_t>();
      default:
        break;
    }
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t next = byte();
      value = order_ == ByteOrder::little ? value | next << (8 * i) : value << 8 | next;
    }
    return value;
  }

  // DWARF's variable-length integers; bits beyond the 64th are dropped.
  std::uint64_t uleb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7Fu} << shift;
      if ((next & 0x80u) == 0) return value;
    }
  }
  std::int64_t sleb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7Fu} << shift;
      if ((next & 0x80u) != 0) continue;
      if ((next & 0x40u) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
  }

  // Up to the terminating zero, which is skipped.
  std::string_view string() {
    const auto rest = bytes_.subspan(position_);
    const void* zero = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
    if (zero == nullptr) {
      end();
      return {};
    }
    const auto* first = reinterpret_cast<const char*>(rest.data());
    const auto size = static_cast<std::size_t>(static_cast<const char*>(zero) - first);
    position_ += size + 1;
    return {first, size};
  }

 private:
  template <typename Integer>
  std::uint64_t integer() {
    if (sizeof(Integer) > bytes_.size() - position_) {
      end();
      return 0;
    }
    const auto value = stored_integer<Integer>(bytes_.data() + position_, order_);
    position_ += sizeof(Integer);
    return value;
  }
  void end() {
    ended_early_ = true;
    position_ = bytes_.size();
  }

  std::span<const std::byte> bytes_;
  ByteOrder order_;
  std::uint64_t position_ = 0;  // never past the end
  bool ended_early_ = false;
};

}  // namespace gprof::dwarf
