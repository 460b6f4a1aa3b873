// The bytes of a recording: of a file, of which a part at a time is in memory, or given.
//
// Ownership: borrows the file or the bytes. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof::perf_data {

class PerfBytes {
 public:
  explicit PerfBytes(const InputFile& file)
      : file_(&file), size_(file.size()), path_(file.path()) {}
  PerfBytes(std::span<const std::byte> bytes, std::string path)
      : given_(bytes), size_(bytes.size()), path_(std::move(path)) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // When the file was written; 0 for bytes that were given.
  [[nodiscard]] FileTime modified() const { return file_ == nullptr ? 0 : file_->modified(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Valid until the next call. Errors: truncated, unreadable.
  [[nodiscard]] Expected<std::span<const std::byte>> at(std::uint64_t offset, std::uint64_t size);

 private:
  static constexpr std::uint64_t window_size = std::uint64_t{1} << 20;

  const InputFile* file_ = nullptr;
  std::span<const std::byte> given_;
  std::uint64_t size_ = 0;
  std::string path_;
  std::vector<std::byte> window_;
  std::uint64_t window_offset_ = 0;
};

}  // namespace gprof::perf_data
