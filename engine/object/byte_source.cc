#include "engine/object/byte_source.h"

#include <fmt/format.h>

namespace gprof {

Expected<std::vector<std::byte>> ByteSource::read_at(std::uint64_t offset,
                                                     std::uint64_t size) const {
  if (!holds(offset, size)) {
    return Error{ErrorCode::truncated,
                 fmt::format("{} bytes expected, the file ends at byte {}; copy or build it anew",
                             size, size_),
                 name_, offset};
  }
  if (file_) return file_->read_at(offset, size);
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
  return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(size));
}

}  // namespace gprof
