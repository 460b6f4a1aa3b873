// The bytes of a recording: of a file, of which a part at a time is in memory, or given.
//
// `perf record --threads` writes a folder: the file `data`, and a stream of records for each thread
// of perf, `data.0`, `data.1` and so on.
//
// Ownership: borrows the file or the bytes, owns the streams. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof::perf_data {

class PerfBytes {
 public:
  explicit PerfBytes(const InputFile& file)
      : file_(&file), size_(file.size()), path_(file.path()) {}
  // Also opens the streams next to the file if its name is `data`. Errors: unreadable.
  static Expected<PerfBytes> with_streams(const InputFile& file);
  PerfBytes(std::span<const std::byte> bytes, std::string path)
      : given_(bytes), size_(bytes.size()), path_(std::move(path)) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // When the file was written; 0 for bytes that were given.
  [[nodiscard]] FileTime modified() const { return file_ == nullptr ? 0 : file_->modified(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::vector<PerfBytes>& streams() { return streams_; }
  // Including all streams.
  [[nodiscard]] std::uint64_t total_size() const;

  // Valid until the next call. Errors: truncated, unreadable.
  [[nodiscard]] Expected<std::span<const std::byte>> at(std::uint64_t offset, std::uint64_t size);

 private:
  static constexpr std::uint64_t window_size = std::uint64_t{1} << 20;

  std::shared_ptr<const InputFile> stream_;  // owns the file of a stream
  std::vector<PerfBytes> streams_;
  const InputFile* file_ = nullptr;
  std::span<const std::byte> given_;
  std::uint64_t size_ = 0;
  std::string path_;
  std::vector<std::byte> window_;
  std::uint64_t window_offset_ = 0;
};

// The name of the file with the header in a folder that `perf record --threads` or `--kcore` wrote.
inline constexpr std::string_view perf_folder_file = "data";

// The streams beside that file: `data.0`, `data.1` and so on; none for another file.
[[nodiscard]] std::vector<std::filesystem::path> streams_of(const std::filesystem::path& file);

// The path of that file if the path is such a folder; else the path itself.
[[nodiscard]] std::filesystem::path file_of_perf_folder(const std::filesystem::path& path);

}  // namespace gprof::perf_data
