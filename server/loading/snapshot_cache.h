// Analysed programs, shared by all clients of the process: loading what another client holds
// returns the same snapshot, and a program is opened once for all its profiles.
//
// Ownership: holds snapshots weakly, so that they are freed when no client shows them.
// Thread contract: any thread; simultaneous loads of the same thing become one. A waiting load
// returns soon after its own cancellation, and loads by itself if the other one was cancelled.
// Errors: as analyse(), and unreadable if memory runs out.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "server/discovery/live_counts.h"
#include "server/discovery/stamped_files.h"
#include "server/loading/snapshot_file_cache.h"

namespace gprof::lsp {

class SnapshotCache {
 public:
  // `indexes` keeps snapshots for later processes; null: nothing is kept.
  explicit SnapshotCache(std::shared_ptr<SnapshotFileCache> indexes = nullptr);
  ~SnapshotCache();
  SnapshotCache(const SnapshotCache&) = delete;
  SnapshotCache& operator=(const SnapshotCache&) = delete;

  // As analyse(): the same snapshot again while its files are unchanged on disk and somebody holds
  // it. Files that change while they are read are read again. `request.program` and `request.like`
  // are not looked at.
  [[nodiscard]] Expected<std::shared_ptr<const Snapshot>> load(const AnalysisRequest& request);

  // Keeps the snapshot for later processes. Slow: call on a background thread.
  [[nodiscard]] Expected<void> keep(const std::shared_ptr<const Snapshot>& snapshot);

  // The counters of running programs, the same for all clients.
  [[nodiscard]] LiveCounts& live_counts() { return live_counts_; }

 private:
  struct Entry;
  struct Flight;
  using Outcome = Expected<std::shared_ptr<const Snapshot>>;

  [[nodiscard]] std::shared_ptr<Entry> entry_of(const StampedFiles& files,
                                                const DebugFileSearch& debug_files);
  // Waits for another's load; none if its outcome is of no use to this request.
  [[nodiscard]] std::optional<Outcome> wait_for(std::unique_lock<std::mutex>& lock,
                                                const std::shared_ptr<Flight>& flight,
                                                const AnalysisRequest& request);
  // Analyses; the second value tells whether the files are still those of the entry.
  [[nodiscard]] std::pair<Outcome, bool> analyse_entry(const AnalysisRequest& request,
                                                       const Entry& entry);
  // Fills in what was made of the executable before.
  void add_known(AnalysisRequest& request);
  void land(Entry& entry, Flight& flight, const Outcome& outcome, bool unchanged);

  const std::shared_ptr<SnapshotFileCache> indexes_;
  LiveCounts live_counts_;
  std::mutex mutex_;  // guards what follows, and what the entries hold
  std::condition_variable landed_;
  std::vector<std::shared_ptr<Entry>> entries_;
  struct Known {
    std::weak_ptr<const Program> program;
    std::weak_ptr<const Snapshot> snapshot;  // the newest
  };
  std::map<std::string, Known> known_;  // by path of the executable
};

}  // namespace gprof::lsp
