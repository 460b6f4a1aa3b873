// Writes integers and text as bytes, in one byte order.
//
// Ownership: owns the bytes. Thread contract: one thread. Errors: none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/support/units.h"

namespace gprof {

class ByteWriter {
 public:
  ByteWriter(ByteOrder order, PointerWidth width) : order_(order), width_(width) {}

  // The lowest `size` bytes of the value.
  void put(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = order_ == ByteOrder::little ? i : size - 1 - i;
      bytes_.push_back(static_cast<std::byte>(value >> (8 * place) & 0xff));
    }
  }
  // A struct as it lies in the file.
  template <typename Entry>
  void put_entry(const Entry& entry) {
    static_assert(std::has_unique_object_representations_v<Entry>, "padding would be written");
    static_assert(std::endian::native == std::endian::little, "formats are little-endian");
    const auto bytes = std::as_bytes(std::span(&entry, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put_word(std::uint64_t value) { put(value, static_cast<std::size_t>(width_)); }
  // Truncated or zero-padded to `size`.
  void put_text(std::string_view text, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes_.push_back(i < text.size() ? static_cast<std::byte>(text[i]) : std::byte{0});
    }
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  // The writer is empty afterwards.
  [[nodiscard]] std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

 private:
  ByteOrder order_;
  PointerWidth width_;
  std::vector<std::byte> bytes_;
};

}  // namespace gprof
