// Analysed programs, shared by all clients of the process: who loads what another one holds gets
// the very same, and a program is opened once for all of its profiles.
//
// Ownership: holds what is loaded weakly, so that what no client shows any more goes away.
// Thread contract: any thread; two loads of one thing at once become one. Who waits for another's
// load ends soon after its own cancellation, and goes on by itself where the other was cancelled.
// Errors: as analyse(), and unreadable where memory runs out.
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
#include "server/programs/index_cache.h"
#include "server/programs/live_counts.h"
#include "server/programs/stamped_files.h"

namespace gprof::lsp {

class SnapshotCache {
 public:
  // `indexes` keeps snapshots for later processes; null: nothing is kept.
  explicit SnapshotCache(std::shared_ptr<IndexCache> indexes = nullptr);
  ~SnapshotCache();
  SnapshotCache(const SnapshotCache&) = delete;
  SnapshotCache& operator=(const SnapshotCache&) = delete;

  // As analyse(): the same snapshot again while its files are unchanged on disk and somebody holds
  // it. Files that change while they are read are read again. `request.program` and `request.like`
  // are not looked at.
  [[nodiscard]] Expected<std::shared_ptr<const Snapshot>> load(const AnalysisRequest& request);

  // Keeps what was loaded for later processes. For a thread that may take its time.
  [[nodiscard]] Expected<void> keep(const std::shared_ptr<const Snapshot>& snapshot);

  // The counters of running programs, which all clients see alike.
  [[nodiscard]] LiveCounts& live_counts() { return live_counts_; }

 private:
  struct Entry;
  struct Flight;
  using Outcome = Expected<std::shared_ptr<const Snapshot>>;

  [[nodiscard]] std::shared_ptr<Entry> entry_of(const StampedFiles& files,
                                                const DebugFileSearch& debug_files);
  // Waits for another's load; none where its outcome is of no use to this request.
  [[nodiscard]] std::optional<Outcome> wait_for(std::unique_lock<std::mutex>& lock,
                                                const std::shared_ptr<Flight>& flight,
                                                const AnalysisRequest& request);
  // Analyses; the second is whether the files are still those of the entry.
  [[nodiscard]] std::pair<Outcome, bool> analyse_entry(const AnalysisRequest& request,
                                                       const Entry& entry);
  // Fills in what was made of the executable before.
  void add_known(AnalysisRequest& request);
  void land(Entry& entry, Flight& flight, const Outcome& outcome, bool unchanged);

  const std::shared_ptr<IndexCache> indexes_;
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
