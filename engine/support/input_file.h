// A file's bytes, read on demand. Files are read, never mapped: a profile or an executable may be
// rewritten in place while it is open, and touching a mapped page that is gone kills the process.
// What a packed file unpacks to is in memory.
//
// Ownership: owns the descriptor. Thread contract: const members may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/file_access.h"

namespace gprof {

// Nanoseconds since the epoch.
using FileTime = std::int64_t;

// Identifies a file and its state: changes as soon as the file is replaced or written.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  FileTime modified = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// The current file's stamp; none if there is no file or it is not a regular one.
[[nodiscard]] std::optional<FileStamp> file_stamp(const std::filesystem::path& path);
// When the file's content or metadata last changed, which nobody can set back; none if file_stamp()
// is.
[[nodiscard]] std::optional<FileTime> file_change_time(const std::filesystem::path& path);

class InputFile {
 public:
  // Fails with not_found or unreadable. What is not a regular file, or not within reach (see
  // file_access.h), is unreadable, and is not opened.
  static Expected<InputFile> open(const std::filesystem::path& path, FileUse use = FileUse::named);

  // A file with the path and times of a packed one, and its unpacked bytes.
  static InputFile of_bytes(const InputFile& packed, std::vector<std::byte> bytes);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // -1 if the bytes are in memory.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // As of open().
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] std::uint64_t size() const { return stamp_.size; }
  // On disk: less than size() if the file was packed.
  [[nodiscard]] std::uint64_t stored_size() const { return stored_size_; }
  [[nodiscard]] FileTime modified() const { return stamp_.modified; }
  // Whether the file was written in place since open(), so that reads return another state.
  [[nodiscard]] bool written_since() const;

  // Whether the file takes less space on disk than its size: it has holes or is compressed.
  [[nodiscard]] bool is_sparse() const;
  // The first offset from `offset` on that was ever written, or size() if there is none; the bytes
  // before it are zeros. `offset` itself if the file system does not say.
  [[nodiscard]] std::uint64_t next_data(std::uint64_t offset) const;

  // The whole file. Allocates no more than the file's size.
  [[nodiscard]] Expected<std::vector<std::byte>> read_all() const;
  [[nodiscard]] Expected<std::vector<std::byte>> read_at(std::uint64_t offset,
                                                         std::uint64_t size) const;
  // Fills all of `bytes` from `offset` on; large reads use all processors.
  [[nodiscard]] Expected<void> read_into(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  InputFile(int descriptor, std::string path, const FileStamp& stamp)
      : descriptor_(descriptor), path_(std::move(path)), stamp_(stamp), stored_size_(stamp.size) {}
  [[nodiscard]] Expected<void> check_inside(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] Expected<void> read_part(std::uint64_t offset, std::span<std::byte> bytes) const;

  int descriptor_ = -1;
  std::string path_;
  FileStamp stamp_;
  std::uint64_t stored_size_ = 0;
  std::vector<std::byte> bytes_;  // if there is no descriptor
};

// The first `most_bytes` of a file that does not say its size, as the kernel's. Errors: as
// InputFile::open().
[[nodiscard]] Expected<std::string> read_unsized_file(const std::filesystem::path& path,
                                                      std::size_t most_bytes,
                                                      FileUse use = FileUse::named);

}  // namespace gprof
