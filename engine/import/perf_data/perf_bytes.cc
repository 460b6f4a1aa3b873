#include "engine/import/perf_data/perf_bytes.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::perf_data {

Expected<std::span<const std::byte>> PerfBytes::at(std::uint64_t offset, std::uint64_t size) {
  if (offset > size_ || size > size_ - offset) {
    return Error{ErrorCode::truncated,
                 fmt::format("{} bytes expected, the file ends after {} of them", size,
                             offset > size_ ? 0 : size_ - offset),
                 path_, std::min(offset, size_)};
  }
  const auto first = static_cast<std::size_t>(offset);
  const auto count = static_cast<std::size_t>(size);
  if (file_ == nullptr) return given_.subspan(first, count);
  const bool is_here = offset >= window_offset_ && size <= window_.size() &&
                       offset - window_offset_ <= window_.size() - size;
  if (!is_here) {
    window_.resize(static_cast<std::size_t>(std::min(std::max(size, window_size), size_ - offset)));
    window_offset_ = offset;
    if (auto read = file_->read_into(offset, window_); !read) {
      window_.clear();
      return read.error();
    }
  }
  return std::span<const std::byte>(window_).subspan(
      static_cast<std::size_t>(offset - window_offset_), count);
}

}  // namespace gprof::perf_data
