#include "server/programs/index_cache.h"

#include <algorithm>
#include <functional>

#include "engine/snapshot_index.h"

namespace gprof::lsp {

IndexCache::IndexCache(std::filesystem::path directory, const IndexCacheLimits& limits)
    : limits_(limits), folder_(std::move(directory), ".index", {limits.bytes, limits.entries}) {}

std::shared_ptr<const StoredIndex> IndexCache::find(std::string_view key) {
  const auto file = folder_.find(key);
  if (!file) return nullptr;
  auto index = StoredIndex::open(*file, limits_.entry_bytes);
  if (index) {
    CacheFolder::note_use(*file);
  } else {
    CacheFolder::remove(*file);
  }
  return index;
}

bool IndexCache::take_first_time(const std::shared_ptr<const Snapshot>& snapshot) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [](const auto& known) { return known.expired(); });
  const bool known = std::any_of(kept_.begin(), kept_.end(),
                                 [&](const auto& kept) { return kept.lock() == snapshot; });
  if (!known) kept_.push_back(snapshot);
  return !known;
}

Expected<void> IndexCache::keep(const std::shared_ptr<const Snapshot>& snapshot) {
  const bool worth_it = snapshot->symbols().size() >= limits_.least_symbols;
  if (!worth_it || !take_first_time(snapshot) || !may_be_kept(*snapshot)) return {};
  return folder_.put(snapshot->origin()->key, [&](int descriptor) {
    IndexWriter index(descriptor, std::hash<std::string>{}(snapshot->origin()->key));
    write_snapshot(*snapshot, index);
    return index.finish();
  });
}

}  // namespace gprof::lsp
