// A file's bytes, read on demand. Files are read, never mapped: a profile or an executable may be
// rewritten in place while it is open, and a mapping that has lost its pages ends the process.
//
// Ownership: owns the descriptor. Thread contract: const members may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/support/expected.h"

namespace gprof {

// Nanoseconds since the epoch.
using FileTime = std::int64_t;

class InputFile {
 public:
  // Fails with not_found or unreadable; a directory, a socket or a FIFO is unreadable.
  static Expected<InputFile> open(const std::filesystem::path& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // As of open().
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] FileTime modified() const { return modified_; }

  // The whole file. Allocates no more than the file holds.
  [[nodiscard]] Expected<std::vector<std::byte>> read_all() const;
  [[nodiscard]] Expected<std::vector<std::byte>> read_at(std::uint64_t offset,
                                                         std::uint64_t size) const;

 private:
  InputFile(int descriptor, std::string path, std::uint64_t size, FileTime modified)
      : descriptor_(descriptor), path_(std::move(path)), size_(size), modified_(modified) {}

  int descriptor_ = -1;
  std::string path_;
  std::uint64_t size_ = 0;
  FileTime modified_ = 0;
};

}  // namespace gprof
