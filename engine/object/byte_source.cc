#include "engine/object/byte_source.h"

#include <fmt/format.h>

namespace gprof {

Expected<void> ByteSource::check(std::uint64_t offset, std::uint64_t size) const {
  if (holds(offset, size)) return {};
  return Error{ErrorCode::truncated,
               fmt::format("{} bytes expected, the file ends at byte {}; copy or build it anew",
                           size, size_),
               name_, offset};
}

Expected<std::vector<std::byte>> ByteSource::read_at(std::uint64_t offset,
                                                     std::uint64_t size) const {
  TRY(check(offset, size));
  if (file_) return file_->read_at(offset, size);
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
  return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(size));
}

Expected<ByteBuffer> ByteSource::read_buffer(std::uint64_t offset, std::uint64_t size) const {
  if (!file_) {
    TRY_ASSIGN(auto copy, read_at(offset, size));
    return ByteBuffer(std::move(copy));
  }
  TRY(check(offset, size));
  ByteBuffer buffer = ByteBuffer::of_size(static_cast<std::size_t>(size));
  if (buffer.bytes().size() != size) {
    return Error{ErrorCode::unreadable, fmt::format("there is no memory for {} bytes", size), name_,
                 offset};
  }
  TRY(file_->read_into(offset, buffer.bytes()));
  return buffer;
}

}  // namespace gprof
