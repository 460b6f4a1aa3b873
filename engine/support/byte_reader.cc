#include "engine/support/byte_reader.h"

#include <fmt/format.h>

namespace gprof {

template <typename Integer>
Expected<Integer> ByteReader::read_integer(std::string_view what) {
  auto bytes = read_bytes(sizeof(Integer), what);
  if (!bytes) return std::move(bytes).error();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    const std::size_t shift = order_ == ByteOrder::little ? i : sizeof(Integer) - 1 - i;
    value |= std::to_integer<std::uint64_t>((*bytes)[i]) << (8 * shift);
  }
  return static_cast<Integer>(value);
}

Expected<std::uint8_t> ByteReader::read_u8(std::string_view what) {
  return read_integer<std::uint8_t>(what);
}

Expected<std::uint16_t> ByteReader::read_u16(std::string_view what) {
  return read_integer<std::uint16_t>(what);
}

Expected<std::uint32_t> ByteReader::read_u32(std::string_view what) {
  return read_integer<std::uint32_t>(what);
}

Expected<std::uint64_t> ByteReader::read_u64(std::string_view what) {
  return read_integer<std::uint64_t>(what);
}

Expected<std::uint64_t> ByteReader::read_word(PointerWidth width, std::string_view what) {
  if (width == PointerWidth::eight) return read_u64(what);
  auto word = read_u32(what);
  if (!word) return std::move(word).error();
  return std::uint64_t{*word};
}

Expected<Address> ByteReader::read_address(PointerWidth width, std::string_view what) {
  auto word = read_word(width, what);
  if (!word) return std::move(word).error();
  return Address{*word};
}

Expected<std::span<const std::byte>> ByteReader::read_bytes(std::uint64_t size,
                                                            std::string_view what) {
  if (size > remaining()) {
    return error(ErrorCode::truncated,
                 fmt::format("the file ends inside {}: {} bytes expected, {} left", what, size,
                             remaining()));
  }
  auto view = bytes_.subspan(offset_, size);
  offset_ += size;
  return view;
}

Error ByteReader::error(ErrorCode code, std::string message) const {
  return Error{code, std::move(message), path_, offset_};
}

}  // namespace gprof
