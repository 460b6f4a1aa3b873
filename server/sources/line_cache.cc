#include "server/sources/line_cache.h"

#include <algorithm>
#include <utility>

#include "engine/support/input_file.h"
#include "server/sources/line_cache_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_ending = ".lines";
std::uint64_t size_in_memory(std::string_view key, const CachedLines& value) {
  return key.size() + value.lines->size() * sizeof(LineHash) + 128;
}

}  // namespace

LineCache::LineCache(std::optional<fs::path> directory, const LineCacheLimits& limits)
    : limits_(limits) {
  if (directory) {
    folder_.emplace(std::move(*directory), std::string(entry_ending),
                    CacheFolderLimits{limits.bytes, limits.entries});
  }
}

std::optional<CachedLines> LineCache::find(std::string_view key) {
  if (auto known = find_in_memory(key)) return known;
  const auto path = folder_ ? folder_->find(key) : std::nullopt;
  if (!path) return std::nullopt;
  const auto file = InputFile::open(*path, FileUse::own);
  if (!file) return std::nullopt;
  std::optional<CachedLines> found;
  if (file->size() <= limits_.entry_bytes) {
    const auto bytes = file->read_all();
    if (!bytes) return std::nullopt;
    found = decode_lines(*bytes, key);
  }
  if (found) {
    CacheFolder::note_use(*path);
  } else {
    CacheFolder::remove(*path);
  }
  return found;
}

bool LineCache::holds(std::string_view key) {
  if (find_in_memory(key)) return true;
  const auto path = folder_ ? folder_->find(key) : std::nullopt;
  const auto file = path ? InputFile::open(*path, FileUse::own) : Expected<InputFile>(Error());
  if (!file || file->size() > limits_.entry_bytes) return false;
  const std::uint64_t wanted = line_cache_header_size + key.size();
  if (file->size() < wanted) return false;
  const auto beginning = file->read_at(0, wanted);
  if (!beginning || !begins_entry(*beginning, key, file->size())) return false;
  CacheFolder::note_use(*path);
  return true;
}

void LineCache::put(std::string_view key, const CachedLines& value) {
  if (line_cache_header_size + key.size() + 8 * value.lines->size() > limits_.entry_bytes) return;
  if (folder_) {
    const auto written = folder_->put(
        key, [&](int descriptor) { return write_all(descriptor, encode_lines(key, value)); });
    if (written) return forget_in_memory(key);
    const std::lock_guard lock(mutex_);
    if (!std::exchange(told_, true)) {
      trouble_ = describe(written.error()) +
                 "; what is known of the lines of sources is forgotten when the server ends";
    }
  }
  put_into_memory(key, value);
}

std::optional<std::string> LineCache::take_trouble() {
  const std::lock_guard lock(mutex_);
  return std::exchange(trouble_, std::nullopt);
}

std::optional<CachedLines> LineCache::find_in_memory(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(memory_.begin(), memory_.end(),
                                  [&](const InMemory& entry) { return entry.key == key; });
  if (found == memory_.end()) return std::nullopt;
  memory_.splice(memory_.begin(), memory_, found);
  return found->value;
}

void LineCache::forget_in_memory(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(memory_.begin(), memory_.end(),
                                  [&](const InMemory& entry) { return entry.key == key; });
  if (found == memory_.end()) return;
  memory_bytes_ -= size_in_memory(found->key, found->value);
  memory_.erase(found);
}

void LineCache::put_into_memory(std::string_view key, const CachedLines& value) {
  forget_in_memory(key);
  const std::lock_guard lock(mutex_);
  memory_.push_front({std::string(key), value});
  memory_bytes_ += size_in_memory(key, value);
  while (memory_bytes_ > limits_.memory_bytes && memory_.size() > 1) {
    memory_bytes_ -= size_in_memory(memory_.back().key, memory_.back().value);
    memory_.pop_back();
  }
}

}  // namespace gprof::lsp
