#include "server/loading/snapshot_file_cache.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "engine/program_index.h"
#include "engine/snapshot_index.h"
#include "engine/support/file_state.h"

namespace gprof::lsp {
namespace {

constexpr std::uint64_t most_state_bytes = 4096;
constexpr const char* state_ending = ".verified";

}  // namespace

SnapshotFileCache::SnapshotFileCache(const std::filesystem::path& directory,
                                     const SnapshotFileLimits& limits)
    : limits_(limits),
      folder_(directory, ".index", {limits.bytes, limits.entries}, state_ending),
      states_(directory, state_ending, {most_state_bytes * limits.entries, limits.entries}) {}

std::shared_ptr<const SnapshotFile> SnapshotFileCache::find(std::string_view key) {
  const auto file = folder_.find(key);
  if (!file) return nullptr;
  const std::string verified = verified_state(key);
  auto snapshot = SnapshotFile::open(*file, limits_.entry_bytes, verified);
  if (!snapshot) {
    CacheFolder::remove(*file);
  } else if (snapshot->verified() != verified) {
    note_verified(key, snapshot->verified(), snapshot->items().size());
  }
  if (snapshot) note_use(key, *file);
  return snapshot;
}

// Noting it on a file with a recorded state would change that state.
void SnapshotFileCache::note_use(std::string_view key, const std::filesystem::path& file) const {
  CacheFolder::note_use(states_.find(key).value_or(file));
}

std::string SnapshotFileCache::verified_state(std::string_view key) const {
  const auto path = states_.find(key);
  const auto file = path ? InputFile::open(*path, FileUse::own) : Expected<InputFile>(Error());
  if (!file || file->size() > most_state_bytes) return "";
  const auto bytes = file->read_all();
  if (!bytes) return "";
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// If it cannot be kept, the file is verified once more.
void SnapshotFileCache::note_verified(std::string_view key, const std::string& state,
                                      std::uint64_t bytes) {
  if (state.empty() || bytes < limits_.least_bytes_with_state) return;
  (void)states_.put(key, [&](int descriptor) { return write_all(descriptor, state); });
}

// The present bytes are as one of the servers wrote them.
void SnapshotFileCache::note_written(std::string_view key) {
  const auto path = folder_.find(key);
  const auto file = path ? InputFile::open(*path, FileUse::own) : Expected<InputFile>(Error());
  if (!file || file->size() < limits_.least_bytes_with_state) return;
  std::this_thread::sleep_for(std::chrono::nanoseconds(settling_time + settling_time / 10));
  note_verified(key, file_state(file->descriptor()), file->size());
}

bool SnapshotFileCache::take_first_time(const std::shared_ptr<const void>& kept) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [](const auto& known) { return known.expired(); });
  const bool known =
      std::any_of(kept_.begin(), kept_.end(), [&](const auto& one) { return one.lock() == kept; });
  if (!known) kept_.push_back(kept);
  return !known;
}

Expected<void> SnapshotFileCache::put(const std::string& key, const Write& write) {
  auto written = folder_.put(key, [&](int descriptor) {
    SnapshotFileWriter file(descriptor, std::hash<std::string>{}(key));
    write(file);
    return file.finish();
  });
  if (written) note_written(key);
  return written;
}

bool SnapshotFileCache::is_worth_keeping(const Snapshot& snapshot) const {
  if (snapshot.symbols().size() >= limits_.least_symbols) return true;
  std::uint64_t bytes = 0;
  for (const std::string& path : snapshot.profile_paths()) {
    for (const std::string& part : {path, sidecar_name(path)}) {
      const auto stamp = file_stamp(part);
      if (stamp) bytes += stamp->size;
    }
  }
  return bytes >= limits_.least_profile_bytes;
}

Expected<void> SnapshotFileCache::keep(const std::shared_ptr<const Snapshot>& snapshot) {
  if (!is_worth_keeping(*snapshot)) return {};
  const auto& program = snapshot->program();
  if (take_first_time(program) && may_be_kept(*program)) {
    TRY(put(program_key(*program),
            [&](SnapshotFileWriter& file) { write_program(*program, file); }));
  }
  if (!take_first_time(snapshot) || !may_be_kept(*snapshot)) return {};
  return put(snapshot->origin()->key,
             [&](SnapshotFileWriter& file) { write_snapshot(*snapshot, file); });
}

}  // namespace gprof::lsp
