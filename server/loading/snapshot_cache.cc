#include "server/loading/snapshot_cache.h"

#include <chrono>
#include <new>
#include <utility>

#include "server/system/out_of_memory.h"

namespace gprof::lsp {
namespace {

// How often files that change while being read are read again before the result is accepted.
constexpr int most_attempts = 4;

// How soon a load that waits for another notices its own cancellation.
constexpr std::chrono::milliseconds cancellation_check{20};

// Others may wait for the outcome, so there must be one.
Expected<std::shared_ptr<const Snapshot>> analyse_in_memory(const AnalysisRequest& request) {
  try {
    return analyse(request);
  } catch (const std::bad_alloc&) {
    return no_memory_to_load(request.executable.string());
  }
}

}  // namespace

// One load, shared by those that wait for it.
struct SnapshotCache::Flight {
  std::optional<Outcome> outcome;  // none until it has landed
};

struct SnapshotCache::Entry {
  StampedFiles files;
  DebugFileSearch debug_files;
  std::weak_ptr<const Snapshot> snapshot;
  std::shared_ptr<Flight> flight;  // null while nobody loads
};

SnapshotCache::SnapshotCache(std::shared_ptr<SnapshotFileCache> indexes)
    : indexes_(std::move(indexes)) {}
SnapshotCache::~SnapshotCache() = default;

std::shared_ptr<SnapshotCache::Entry> SnapshotCache::entry_of(const StampedFiles& files,
                                                              const DebugFileSearch& debug_files) {
  std::erase_if(entries_, [](const std::shared_ptr<Entry>& entry) {
    return entry->flight == nullptr && entry->snapshot.expired();
  });
  for (const auto& entry : entries_) {
    if (entry->files == files && entry->debug_files == debug_files) return entry;
  }
  entries_.push_back(std::make_shared<Entry>(Entry{files, debug_files.on_disk(), {}, nullptr}));
  return entries_.back();
}

void SnapshotCache::add_known(AnalysisRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(request.executable.string());
  const Known known = found == known_.end() ? Known() : found->second;
  request.program = known.program.lock();
  request.like = known.snapshot.lock();
}

std::optional<SnapshotCache::Outcome> SnapshotCache::wait_for(std::unique_lock<std::mutex>& lock,
                                                              const std::shared_ptr<Flight>& flight,
                                                              const AnalysisRequest& request) {
  // Nothing wakes a thread whose request is cancelled: it must poll.
  while (!landed_.wait_for(lock, cancellation_check, [&] { return flight->outcome.has_value(); })) {
    TRY(check_not_cancelled(request));
  }
  const Outcome& outcome = *flight->outcome;
  if (!outcome && outcome.error().code == ErrorCode::cancelled) return std::nullopt;
  return outcome;
}

std::pair<SnapshotCache::Outcome, bool> SnapshotCache::analyse_entry(const AnalysisRequest& request,
                                                                     const Entry& entry) {
  AnalysisRequest with_known = request;
  add_known(with_known);
  with_known.indexes = indexes_.get();
  Outcome outcome = analyse_in_memory(with_known);
  const bool unchanged = files_of(request) == entry.files;
  return {std::move(outcome), unchanged};
}

void SnapshotCache::land(Entry& entry, Flight& flight, const Outcome& outcome, bool unchanged) {
  const std::lock_guard lock(mutex_);
  if (outcome && unchanged) entry.snapshot = *outcome;
  if (outcome) {
    std::erase_if(known_, [](const auto& known) { return known.second.program.expired(); });
    known_[(*outcome)->image().path()] = {(*outcome)->program(), *outcome};
  }
  entry.flight = nullptr;
  flight.outcome = outcome;
  landed_.notify_all();
}

Expected<std::shared_ptr<const Snapshot>> SnapshotCache::load(const AnalysisRequest& request) {
  for (int attempt = 1;; ++attempt) {
    TRY(check_not_cancelled(request));
    // Before anything is read, so that a change made meanwhile is noticed afterwards.
    const StampedFiles files = files_of(request);
    std::unique_lock lock(mutex_);
    const std::shared_ptr<Entry> entry = entry_of(files, request.debug_files);
    if (auto known = entry->snapshot.lock()) {
      lock.unlock();
      if (known->program()->is_current(request.executable, request.debug_files)) return known;
      lock.lock();
    }
    if (const auto flight = entry->flight) {
      auto outcome = wait_for(lock, flight, request);
      if (outcome) return std::move(*outcome);
      continue;
    }
    const auto flight = entry->flight = std::make_shared<Flight>();
    lock.unlock();
    auto [outcome, unchanged] = analyse_entry(request, *entry);
    land(*entry, *flight, outcome, unchanged);
    if (unchanged || attempt >= most_attempts || !check_not_cancelled(request)) return outcome;
  }
}

Expected<void> SnapshotCache::keep(const std::shared_ptr<const Snapshot>& snapshot) {
  return indexes_ ? indexes_->keep(snapshot) : Expected<void>();
}

}  // namespace gprof::lsp
