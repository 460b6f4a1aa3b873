// Keeps line hashes of source texts between runs of the server: one file per entry, in a directory
// shared by all servers of the user.
//
// Nothing there is trusted: an entry that is damaged, foreign or too large counts as absent, and is
// replaced. If the directory cannot be written, entries are kept in memory. For writing and bounds
// see cache_folder.h.
//
// Thread contract: any thread; any number of processes may share a directory. Errors: none;
// take_trouble() reports once why nothing can be kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "server/documents/line_hash.h"
#include "server/system/cache_folder.h"

namespace gprof::lsp {

struct LineCacheLimits {
  std::uint64_t bytes = std::uint64_t{64} << 20;
  std::size_t entries = 8192;
  std::uint64_t entry_bytes = std::uint64_t{8} << 20;
  std::uint64_t memory_bytes = std::uint64_t{8} << 20;  // if there is no directory
};

struct CachedLines {
  std::shared_ptr<const LineHashes> lines;  // never null
  std::int64_t stamp = 0;                   // as passed to put(); its meaning is up to the caller
};

class LineCache {
 public:
  // `directory` is created on first use; none: memory only.
  explicit LineCache(std::optional<std::filesystem::path> directory,
                     const LineCacheLimits& limits = {});
  LineCache(const LineCache&) = delete;
  LineCache& operator=(const LineCache&) = delete;

  [[nodiscard]] std::optional<CachedLines> find(std::string_view key);
  // Whether the key has an entry, without reading all of it: find() may still find it damaged.
  [[nodiscard]] bool holds(std::string_view key);
  // Replaces the key's entry. Does nothing if the value is too large.
  void put(std::string_view key, const CachedLines& value);
  // Why the directory could not be written, for the log; returned only once.
  [[nodiscard]] std::optional<std::string> take_trouble();

 private:
  struct InMemory {
    std::string key;
    CachedLines value;
  };
  // Most recently used first.
  using Memory = std::list<InMemory>;

  [[nodiscard]] std::optional<CachedLines> find_in_memory(std::string_view key);
  void forget_in_memory(std::string_view key);
  void put_into_memory(std::string_view key, const CachedLines& value);

  const LineCacheLimits limits_;
  std::optional<CacheFolder> folder_;

  std::mutex mutex_;  // guards what follows; never held while a file is read or written
  Memory memory_;
  std::uint64_t memory_bytes_ = 0;
  std::optional<std::string> trouble_;
  bool told_ = false;
};

}  // namespace gprof::lsp
