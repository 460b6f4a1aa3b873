// Sections as bytes, for tests of what no installed compiler writes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/dwarf/dwarf_sections.h"

namespace gprof::test {

class SectionBuilder {
 public:
  explicit SectionBuilder(ByteOrder order) : order_(order) {}

  SectionBuilder& integer(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned at = order_ == ByteOrder::little ? i : size - 1 - i;
      bytes_.push_back(static_cast<std::byte>(value >> (8 * at)));
    }
    return *this;
  }
  SectionBuilder& u8(std::uint64_t value) { return integer(value, 1); }
  SectionBuilder& u16(std::uint64_t value) { return integer(value, 2); }
  SectionBuilder& u32(std::uint64_t value) { return integer(value, 4); }
  SectionBuilder& u64(std::uint64_t value) { return integer(value, 8); }
  SectionBuilder& uleb128(std::uint64_t value) {
    while (value >= 0x80) {
      u8((value & 0x7F) | 0x80);
      value >>= 7;
    }
    return u8(value);
  }
  SectionBuilder& string(std::string_view text) {
    for (const char character : text) u8(static_cast<unsigned char>(character));
    return u8(0);
  }
  SectionBuilder& append(const SectionBuilder& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  ByteOrder order_;
  std::vector<std::byte> bytes_;
};

}  // namespace gprof::test
