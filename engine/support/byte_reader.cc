#include "engine/support/byte_reader.h"

#include <fmt/format.h>

namespace gprof {

Expected<std::uint64_t> ByteReader::read_word(PointerWidth width, std::string_view what) {
  if (width == PointerWidth::eight) return read_u64(what);
  TRY_ASSIGN(auto word, read_u32(what));
  return std::uint64_t{word};
}

Expected<Address> ByteReader::read_address(PointerWidth width, std::string_view what) {
  TRY_ASSIGN(auto word, read_word(width, what));
  return Address{word};
}

Expected<std::span<const std::byte>> ByteReader::read_bytes(std::uint64_t size,
                                                            std::string_view what) {
  if (size > remaining()) return ends_inside(what, size);
  auto view = bytes_.subspan(offset_, size);
  offset_ += size;
  return view;
}

Error ByteReader::ends_inside(std::string_view what, std::uint64_t size) const {
  return error(
      ErrorCode::truncated,
      fmt::format("the file ends inside {}: {} bytes expected, {} left", what, size, remaining()));
}

Error ByteReader::error(ErrorCode code, std::string message) const {
  return Error{code, std::move(message), path_, offset_};
}

}  // namespace gprof
