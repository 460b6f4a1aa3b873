// Keeps programs and snapshots on disk between runs of the server, so that the next start answers
// without reading debug information, or profiles that it has read before: see
// engine/program_index.h and engine/snapshot_index.h.
//
// Nothing there is trusted: an entry that is damaged, foreign or for other files counts as absent,
// and is replaced. A large index is verified byte by byte once per boot, and again after anybody
// wrote to it; a companion file records the verified state. Ownership: holds weak references to
// what it kept. Thread contract: any thread; any number of processes may share a folder. Errors:
// why nothing can be kept, for the log.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis.h"
#include "server/system/cache_folder.h"

namespace gprof::lsp {

struct SnapshotFileLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;
  std::size_t entries = 128;
  std::uint64_t entry_bytes = std::uint64_t{2} << 30;
  // Smaller programs with smaller profiles are read again just as fast.
  std::size_t least_symbols = 2000;
  std::uint64_t least_profile_bytes = std::uint64_t{4} << 20;
  // Smaller files are verified as fast as their recorded state is checked.
  std::uint64_t least_bytes_with_state = std::uint64_t{8} << 20;
};

class SnapshotFileCache : public SnapshotFileStore {
 public:
  explicit SnapshotFileCache(const std::filesystem::path& directory,
                             const SnapshotFileLimits& limits = {});

  [[nodiscard]] std::shared_ptr<const SnapshotFile> find(std::string_view key) override;
  // Keeps it and its program, as far as they are not kept already, and may be. Slow: call on a
  // background thread.
  [[nodiscard]] Expected<void> keep(const std::shared_ptr<const Snapshot>& snapshot);

 private:
  [[nodiscard]] std::string verified_state(std::string_view key) const;
  void note_use(std::string_view key, const std::filesystem::path& index) const;
  void note_verified(std::string_view key, const std::string& state, std::uint64_t bytes);
  void note_written(std::string_view key);
  [[nodiscard]] bool is_worth_keeping(const Snapshot& snapshot) const;
  [[nodiscard]] bool take_first_time(const std::shared_ptr<const void>& kept);
  using Write = std::function<void(SnapshotFileWriter& file)>;
  [[nodiscard]] Expected<void> put(const std::string& key, const Write& write);

  const SnapshotFileLimits limits_;
  CacheFolder folder_;
  CacheFolder states_;
  std::mutex mutex_;                             // guards what follows
  std::vector<std::weak_ptr<const void>> kept_;  // programs and snapshots
};

}  // namespace gprof::lsp
