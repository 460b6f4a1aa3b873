// Files of one kind in a folder shared by all servers of the user, each named by the digest of its
// key. Caches keep their files on disk in one.
//
// Entries are written to a temporary file and renamed, so that readers only see complete ones.
// Bounds: bytes and number of entries of the whole folder; the least recently used are removed
// first. A server counts what it writes itself, and checks what others wrote once a minute.
// A folder that belongs to another user, or that others can write to, is not used: nothing is read
// from or written to it. The same goes for such files. Thread contract: any thread; any number of
// processes may share a folder. Errors: unreadable if the folder cannot be created or written, and
// once if it is not exclusively the user's.
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
  // The folder is created on first write. `ending`: suffix of the entries' names. `note_ending`:
  // suffix of companion files, which are useless without their entry; using one counts as using its
  // entry, whose own times then do not change.
  CacheFolder(std::filesystem::path directory, std::string ending, const CacheFolderLimits& limits,
              std::string note_ending = "");
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  // Path of the entry, if it is a regular file and not a link; it may be damaged.
  [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view key) const;
  // Marks the entry as used, so that it is kept longer.
  static void note_use(const std::filesystem::path& entry);
  static void remove(const std::filesystem::path& entry);

  // Writes the entry's content to the descriptor.
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
  // Estimates: what the last scan found plus what was written since.
  std::uint64_t bytes_ = 0;
  std::size_t entries_ = 0;
  std::optional<std::chrono::steady_clock::time_point> pruned_;
  bool told_of_refusal_ = false;
};

// Writes all bytes to the descriptor.
[[nodiscard]] Expected<void> write_all(int descriptor, std::string_view bytes);

}  // namespace gprof::lsp
