#include "engine/import/perf_data/perf_bytes.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::perf_data {

Expected<PerfBytes> PerfBytes::with_streams(const InputFile& file) {
  PerfBytes bytes(file);
  if (std::filesystem::path(file.path()).filename() != perf_folder_file) return bytes;
  // As many as perf had threads.
  constexpr std::size_t max_streams = 4096;
  for (std::size_t i = 0; i < max_streams; ++i) {
    const std::string path = fmt::format("{}.{}", file.path(), i);
    if (!file_stamp(path)) break;
    TRY_ASSIGN(auto stream, InputFile::open(path));
    auto owned = std::make_shared<const InputFile>(std::move(stream));
    bytes.streams_.emplace_back(*owned).stream_ = owned;
  }
  return bytes;
}

std::uint64_t PerfBytes::total_size() const {
  std::uint64_t size = size_;
  for (const PerfBytes& stream : streams_) size += stream.size_;
  return size;
}

std::filesystem::path file_of_perf_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path file = path / perf_folder_file;
  return std::filesystem::is_directory(path, ignored) && file_stamp(file) ? file : path;
}

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
