// Where an image's bytes come from: a file on disk or a vector in memory.
//
// Ownership: owns both. Thread contract: const members may be called from any thread.
// Errors: truncated when a range reaches past the end, unreadable on I/O errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/support/byte_buffer.h"
#include "engine/support/input_file.h"

namespace gprof {

class ByteSource {
 public:
  explicit ByteSource(InputFile file)
      : file_(std::move(file)), name_(file_->path()), size_(file_->size()) {}
  ByteSource(std::vector<std::byte> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)), size_(bytes_.size()) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // None for bytes in memory.
  [[nodiscard]] std::optional<FileStamp> stamp() const {
    return file_ ? std::optional(file_->stamp()) : std::nullopt;
  }
  [[nodiscard]] bool written_since() const { return file_ && file_->written_since(); }
  // None for bytes in memory.
  [[nodiscard]] std::optional<int> descriptor() const {
    return file_ ? std::optional(file_->descriptor()) : std::nullopt;
  }
  [[nodiscard]] std::span<const std::byte> memory() const { return bytes_; }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  // A copy of a part. Allocates only if the part exists.
  [[nodiscard]] Expected<std::vector<std::byte>> read_at(std::uint64_t offset,
                                                         std::uint64_t size) const;
  // The same, for large parts.
  [[nodiscard]] Expected<ByteBuffer> read_buffer(std::uint64_t offset, std::uint64_t size) const;

 private:
  [[nodiscard]] Expected<void> check(std::uint64_t offset, std::uint64_t size) const;

  std::optional<InputFile> file_;
  std::vector<std::byte> bytes_;
  std::string name_;
  std::uint64_t size_ = 0;
};

}  // namespace gprof
