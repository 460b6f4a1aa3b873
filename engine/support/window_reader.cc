#include "engine/support/window_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof {

Expected<std::uint64_t> WindowReader::read_word(PointerWidth width, std::string_view what) {
  if (width == PointerWidth::eight) return read_integer<std::uint64_t>(what);
  TRY_ASSIGN(auto word, read_u32(what));
  return std::uint64_t{word};
}

Expected<Address> WindowReader::read_address(PointerWidth width, std::string_view what) {
  TRY_ASSIGN(auto word, read_word(width, what));
  return Address{word};
}

Expected<std::span<const std::byte>> WindowReader::read_bytes(std::uint64_t size,
                                                              std::string_view what) {
  if (size > remaining()) return ends_inside(what, size);
  const bool is_there = offset_ >= window_offset_ && offset_ - window_offset_ <= window_.size() &&
                        size <= window_.size() - (offset_ - window_offset_);
  if (!is_there) {
    const std::uint64_t wanted = std::max(size, std::min(window_size, remaining()));
    TRY_ASSIGN(auto bytes, file_->read_at(offset_, wanted));
    window_ = std::move(bytes);
    window_offset_ = offset_;
    bytes_read_ += wanted;
  }
  const auto view = std::span<const std::byte>(window_).subspan(offset_ - window_offset_, size);
  offset_ += size;
  return view;
}

Expected<void> WindowReader::skip(std::uint64_t size, std::string_view what) {
  if (size > remaining()) return ends_inside(what, size);
  offset_ += size;
  return {};
}

Error WindowReader::ends_inside(std::string_view what, std::uint64_t size) const {
  return error(
      ErrorCode::truncated,
      fmt::format("the file ends inside {}: {} bytes expected, {} left", what, size, remaining()));
}

Error WindowReader::error(ErrorCode code, std::string message) const {
  return Error{code, std::move(message), path(), offset_};
}

}  // namespace gprof
