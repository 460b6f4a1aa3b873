// Fields of one little-endian entry of a file, by their offsets in it. For tables whose extent was
// held against the file's size as a whole: a field beyond the entry's bytes reads as 0.
//
// Ownership: borrows the bytes. Thread contract: a value type. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gprof {

class EntryView {
 public:
  explicit EntryView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint32_t u32(std::size_t offset) const {
    return integer<std::uint32_t>(offset);
  }
  [[nodiscard]] std::uint64_t u64(std::size_t offset) const {
    return integer<std::uint64_t>(offset);
  }
  // `size` bytes, or what there is of them.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t offset, std::size_t size) const {
    const std::size_t begin = std::min(offset, bytes_.size());
    return bytes_.subspan(begin, std::min(size, bytes_.size() - begin));
  }
  // The characters before the first zero byte of the `size` at `offset`.
  [[nodiscard]] std::string_view text(std::size_t offset, std::size_t size) const {
    const auto field = bytes(offset, size);
    const std::string_view characters(reinterpret_cast<const char*>(field.data()), field.size());
    return characters.substr(0, characters.find('\0'));
  }

 private:
  template <typename Integer>
  [[nodiscard]] Integer integer(std::size_t offset) const {
    if (offset > bytes_.size() || sizeof(Integer) > bytes_.size() - offset) return 0;
    Integer value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      value |= static_cast<Integer>(std::to_integer<Integer>(bytes_[offset + i]) << (8 * i));
    }
    return value;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace gprof
