#include "engine/import/perf_data/perf_bytes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gprof::perf_data {

Expected<PerfBytes> PerfBytes::with_streams(const InputFile& file) {
  PerfBytes bytes(file);
  for (const std::filesystem::path& path : streams_of(file.path())) {
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

std::vector<std::filesystem::path> streams_of(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> streams;
  if (file.filename() != perf_folder_file) return streams;
  // As many as perf had threads.
  constexpr std::size_t max_streams = 4096;
  while (streams.size() < max_streams) {
    std::filesystem::path path = fmt::format("{}.{}", file.string(), streams.size());
    if (!file_stamp(path)) break;
    streams.push_back(std::move(path));
  }
  return streams;
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
