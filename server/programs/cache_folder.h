// Files of one kind in a folder that all servers of the user share, each named by a digest of what
// it is of. What a cache keeps on disk lies in one.
//
// Entries are written beside and renamed, so that whoever reads finds a whole one. Bounds: bytes
// and number of entries of the whole folder; those that were not used for longest go first. A
// server counts what it writes itself, and looks at what others wrote once a minute.
// A folder that is not the user's, or that others can write to, is no cache: nothing in it is
// looked at, and nothing is written there. Neither are files of such kinds. Thread contract: any
// thread; any number of processes may use one folder. Errors: unreadable where the folder cannot be
// made or written, and once where it is not the user's alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "engine/support/expected.h"

namespace gprof::lsp {

struct CacheFolderLimits {
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
};

class CacheFolder {
 public:
  // The folder is made when it is first written to. `ending`: of the names of the entries.
  // `note_ending`: of files beside them that are of no use without them; the use of one counts as
  // its entry's, whose own times then stay as they are.
  CacheFolder(std::filesystem::path directory, std::string ending, const CacheFolderLimits& limits,
              std::string note_ending = "");
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  // Of the entry, where it is a regular file and no link; it may be damaged.
  [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view key) const;
  // The entry was of use: it is kept longer.
  static void note_use(const std::filesystem::path& entry);
  static void remove(const std::filesystem::path& entry);

  // Writes what the entry is to hold into the file of that descriptor.
  using Fill = std::function<Expected<void>(int descriptor)>;
  // Replaces the key's entry.
  [[nodiscard]] Expected<void> put(std::string_view key, const Fill& fill);

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view key) const;
  [[nodiscard]] Expected<std::uint64_t> write(const std::filesystem::path& file,
                                              const Fill& fill) const;
  [[nodiscard]] Expected<void> refusal();
  [[nodiscard]] bool is_prune_due(std::uint64_t bytes_written);
  void prune();

  const std::filesystem::path directory_;
  const std::string ending_;
  const std::string note_ending_;
  const CacheFolderLimits limits_;

  std::mutex mutex_;  // guards what follows; never held while a file is read or written
  // As far as is known: what the last look found, and what was written since.
  std::uint64_t bytes_ = 0;
  std::size_t entries_ = 0;
  std::optional<std::chrono::steady_clock::time_point> pruned_;
  bool told_of_refusal_ = false;
};

// All of the bytes, to the file of the descriptor.
[[nodiscard]] Expected<void> write_all(int descriptor, std::string_view bytes);

}  // namespace gprof::lsp
