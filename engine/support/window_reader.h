// Like ByteReader, for a file of which only a part at a time is in memory: for code that reads a
// file's records and skips their contents.
//
// Ownership: borrows the file. Thread contract: one thread. Errors: as ByteReader, and unreadable.
// Cost: bytes_read(), which is what was read and a window around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/byte_reader.h"
#include "engine/support/input_file.h"

namespace gprof {

class WindowReader {
 public:
  static constexpr std::uint64_t window_size = std::uint64_t{64} << 10;

  WindowReader(const InputFile& file, ByteOrder order) : file_(&file), order_(order) {}

  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t remaining() const { return file_->size() - offset_; }
  [[nodiscard]] bool at_end() const { return remaining() == 0; }
  [[nodiscard]] const std::string& path() const { return file_->path(); }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

  Expected<std::uint8_t> read_u8(std::string_view what) { return read_integer<std::uint8_t>(what); }
  Expected<std::uint32_t> read_u32(std::string_view what) {
    return read_integer<std::uint32_t>(what);
  }
  Expected<std::uint64_t> read_word(PointerWidth width, std::string_view what);
  Expected<Address> read_address(PointerWidth width, std::string_view what);
  // At most a window; valid until the next read.
  Expected<std::span<const std::byte>> read_bytes(std::uint64_t size, std::string_view what);
  // Skips bytes that exist, without reading them.
  Expected<void> skip(std::uint64_t size, std::string_view what);

  [[nodiscard]] Error error(ErrorCode code, std::string message) const;

 private:
  template <typename Integer>
  Expected<Integer> read_integer(std::string_view what) {
    TRY_ASSIGN(auto bytes, read_bytes(sizeof(Integer), what));
    return stored_integer<Integer>(bytes.data(), order_);
  }
  [[nodiscard]] Error ends_inside(std::string_view what, std::uint64_t size) const;

  const InputFile* file_;
  ByteOrder order_;
  std::vector<std::byte> window_;
  std::uint64_t window_offset_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace gprof
