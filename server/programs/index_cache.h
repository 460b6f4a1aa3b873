// Snapshots kept on the disk from one run of the server to the next, so that a second start answers
// without reading profiles and debug information again: see engine/snapshot_index.h.
//
// Nothing that lies there is trusted: what is damaged, foreign or of other files counts as absent,
// and is replaced. Of a large index all bytes are verified once a start of the machine, and again
// when anybody wrote into it: beside it is kept in which state that was. Ownership: remembers
// weakly what it kept. Thread contract: any thread; any number of processes may use one folder.
// Errors: why nothing can be kept, for the log.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis.h"
#include "server/programs/cache_folder.h"

namespace gprof::lsp {

struct IndexCacheLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;
  std::size_t entries = 64;
  std::uint64_t entry_bytes = std::uint64_t{2} << 30;
  // Smaller programs are read again as fast.
  std::size_t least_symbols = 2000;
  // Smaller indexes are verified as fast as it is told that they were.
  std::uint64_t least_bytes_with_state = std::uint64_t{8} << 20;
};

class IndexCache : public IndexStore {
 public:
  explicit IndexCache(const std::filesystem::path& directory, const IndexCacheLimits& limits = {});

  [[nodiscard]] std::shared_ptr<const StoredIndex> find(std::string_view key) override;
  // Keeps it, unless that was done before or it may not be kept. For a thread that may take its
  // time.
  [[nodiscard]] Expected<void> keep(const std::shared_ptr<const Snapshot>& snapshot);

 private:
  [[nodiscard]] std::string verified_state(std::string_view key) const;
  void note_use(std::string_view key, const std::filesystem::path& index) const;
  void note_verified(std::string_view key, const std::string& state, std::uint64_t bytes);
  void note_written(std::string_view key);
  [[nodiscard]] bool take_first_time(const std::shared_ptr<const Snapshot>& snapshot);

  const IndexCacheLimits limits_;
  CacheFolder folder_;
  CacheFolder states_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::weak_ptr<const Snapshot>> kept_;
};

}  // namespace gprof::lsp
