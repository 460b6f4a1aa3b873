// One entry of a file as the struct that formats/ declares for it, or a field by its offset. For
// tables whose extent was held against the file's size as a whole: what lies beyond the entry's
// bytes reads as 0.
//
// Ownership: borrows the bytes. Thread contract: a value type. Errors: none.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace gprof {

class EntryView {
 public:
  explicit EntryView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // The value at the offset: an integer or an entry, as it is laid out in the file.
  template <typename Entry>
  [[nodiscard]] Entry at(std::size_t offset) const {
    static_assert(std::is_trivially_copyable_v<Entry>);
    static_assert(std::endian::native == std::endian::little, "formats are little-endian");
    Entry entry = {};
    const auto present = bytes(offset, sizeof(Entry));
    if (!present.empty()) std::memcpy(&entry, present.data(), present.size());
    return entry;
  }
  template <typename Entry>
  [[nodiscard]] Entry as() const {
    return at<Entry>(0);
  }
  // `size` bytes, or as many as there are.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t offset, std::size_t size) const {
    const std::size_t begin = std::min(offset, bytes_.size());
    return bytes_.subspan(begin, std::min(size, bytes_.size() - begin));
  }
  // The characters before the first zero byte in the `size` bytes at `offset`.
  [[nodiscard]] std::string_view text(std::size_t offset, std::size_t size) const {
    const auto field = bytes(offset, size);
    const std::string_view characters(reinterpret_cast<const char*>(field.data()), field.size());
    return characters.substr(0, characters.find('\0'));
  }

 private:
  std::span<const std::byte> bytes_;
};

// The characters of a field of fixed size before its first zero byte.
template <std::size_t size>
[[nodiscard]] std::string_view text_before_zero(const char (&field)[size]) {
  return std::string_view(field, size).substr(0, std::string_view(field, size).find('\0'));
}
// All of them, of a magic number.
template <std::size_t size>
[[nodiscard]] constexpr std::string_view characters_of(const char (&field)[size]) {
  return {field, size};
}

}  // namespace gprof
