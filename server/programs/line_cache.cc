#include "server/programs/line_cache.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/support/digest.h"
#include "engine/support/input_file.h"
#include "server/programs/line_cache_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

constexpr std::string_view entry_ending = ".lines";
constexpr std::string_view unfinished_beginning = "unfinished-";
constexpr std::size_t digits_of_name = 32;

constexpr auto prune_interval = std::chrono::minutes(1);
// The time of the last use is the file's modification time, and is written no more often.
constexpr auto use_interval = std::chrono::hours(1);
// What is not finished by then never will be: its server was killed.
constexpr auto unfinished_lifetime = std::chrono::hours(1);

bool is_entry_name(std::string_view name) {
  if (name.size() != digits_of_name + entry_ending.size() || !name.ends_with(entry_ending)) {
    return false;
  }
  return name.find_first_not_of("0123456789abcdef") == digits_of_name;
}

// Of a regular file; neither directories nor what a symbolic link leads to are the cache's.
std::optional<struct stat> regular_status(const fs::path& file) {
  struct stat status = {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

system_clock::time_point last_use(const struct stat& status) {
  return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(
      std::chrono::seconds(status.st_mtim.tv_sec) +
      std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

void note_use(const fs::path& file, const struct stat& status) {
  const auto now = system_clock::now();
  // A use in the future is no use: such an entry would stay for ever.
  if (last_use(status) > now - use_interval && last_use(status) <= now) return;
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

Error cannot(std::string_view what, const fs::path& path, int code) {
  return Error{ErrorCode::unreadable,
               fmt::format("{}: {}", what, std::generic_category().message(code)),
               path.string(),
               {}};
}

// Only the user's own eyes: paths of sources are nobody else's business.
Expected<void> make_directory(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || !directory.has_relative_path()) {
    return cannot("cannot make the directory", directory, errno);
  }
  if (auto made = make_directory(directory.parent_path()); !made) return made;
  if (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return cannot("cannot make the directory", directory, errno);
}

Expected<void> write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("cannot write the file", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

// Written beside and renamed. Not synchronised with the disk: a power failure may leave a damaged
// entry, which its checksum gives away.
Expected<void> write_entry(const fs::path& directory, const fs::path& file,
                           std::string_view bytes) {
  std::string unfinished(unfinished_beginning);
  unfinished += "XXXXXX";
  std::string beside = directory / unfinished;
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot("cannot write into the directory", directory, errno);
  auto written = write_all(descriptor, bytes, beside);
  if (::close(descriptor) != 0 && written) written = cannot("cannot write the file", beside, errno);
  if (written && ::rename(beside.c_str(), file.c_str()) != 0) {
    written = cannot("cannot rename the file", beside, errno);
  }
  if (!written) ::unlink(beside.c_str());
  return written;
}

struct EntryOnDisk {
  fs::path file;
  std::uint64_t bytes = 0;
  system_clock::time_point used;
};

// Every entry; files that were begun long ago and never finished are removed.
std::vector<EntryOnDisk> list_entries(const fs::path& directory) {
  std::vector<EntryOnDisk> entries;
  const auto now = system_clock::now();
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const bool unfinished = name.starts_with(unfinished_beginning);
    if (!unfinished && !is_entry_name(name)) continue;
    const auto status = regular_status(at->path());
    if (!status) continue;
    if (!unfinished) {
      // From the future is as old as can be: clocks that were set back must not keep it.
      const auto used = last_use(*status) > now ? system_clock::time_point() : last_use(*status);
      entries.push_back({at->path(), static_cast<std::uint64_t>(status->st_size), used});
    } else if (last_use(*status) < now - unfinished_lifetime) {
      ::unlink(at->path().c_str());
    }
  }
  return entries;
}

std::uint64_t size_in_memory(std::string_view key, const CachedLines& value) {
  return key.size() + value.lines->size() * sizeof(LineHash) + 128;
}

}  // namespace

LineCache::LineCache(std::optional<fs::path> directory, const LineCacheLimits& limits)
    : directory_(std::move(directory)), limits_(limits) {}

fs::path LineCache::file_of(std::string_view key) const {
  std::string name;
  for (const std::byte byte : md5(std::as_bytes(std::span(key)))) {
    name += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return *directory_ / (name + std::string(entry_ending));
}

std::optional<CachedLines> LineCache::find(std::string_view key) {
  if (auto known = find_in_memory(key)) return known;
  if (!directory_) return std::nullopt;
  const fs::path path = file_of(key);
  const auto status = regular_status(path);
  if (!status) return std::nullopt;
  const auto file = InputFile::open(path);
  if (!file) return std::nullopt;
  std::optional<CachedLines> found;
  if (file->size() <= limits_.entry_bytes) {
    const auto bytes = file->read_all();
    if (!bytes) return std::nullopt;
    found = decode_lines(*bytes, key);
  }
  if (found) {
    note_use(path, *status);
  } else {
    ::unlink(path.c_str());
  }
  return found;
}

bool LineCache::holds(std::string_view key) {
  if (find_in_memory(key)) return true;
  if (!directory_) return false;
  const fs::path path = file_of(key);
  const auto status = regular_status(path);
  const auto file = status ? InputFile::open(path) : Expected<InputFile>(Error());
  if (!file || file->size() > limits_.entry_bytes) return false;
  const std::uint64_t wanted = line_cache_header_size + key.size();
  if (file->size() < wanted) return false;
  const auto beginning = file->read_at(0, wanted);
  if (!beginning || !begins_entry(*beginning, key, file->size())) return false;
  note_use(path, *status);
  return true;
}

void LineCache::put(std::string_view key, const CachedLines& value) {
  if (line_cache_header_size + key.size() + 8 * value.lines->size() > limits_.entry_bytes) return;
  if (directory_) {
    const auto written = write(key, value);
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

Expected<void> LineCache::write(std::string_view key, const CachedLines& value) {
  const std::string bytes = encode_lines(key, value);
  const fs::path file = file_of(key);
  auto written = write_entry(*directory_, file, bytes);
  if (!written) {
    if (auto made = make_directory(*directory_); !made) return made;
    written = write_entry(*directory_, file, bytes);
  }
  if (written && is_prune_due(bytes.size())) prune();
  return written;
}

bool LineCache::is_prune_due(std::uint64_t bytes_written) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_written;
  ++entries_;
  const auto now = std::chrono::steady_clock::now();
  const bool full = bytes_ > limits_.bytes || entries_ > limits_.entries;
  if (pruned_ && !full && now - *pruned_ < prune_interval) return false;
  pruned_ = now;
  return true;
}

// Down to seven eighths, so that a full directory is not listed at every write. Others may do the
// same at the same time: what is gone already is gone.
void LineCache::prune() {
  std::vector<EntryOnDisk> entries = list_entries(*directory_);
  std::uint64_t bytes = 0;
  for (const EntryOnDisk& entry : entries) bytes += entry.bytes;
  std::size_t count = entries.size();
  if (bytes > limits_.bytes || count > limits_.entries) {
    std::sort(entries.begin(), entries.end(),
              [](const EntryOnDisk& a, const EntryOnDisk& b) { return a.used < b.used; });
    for (const EntryOnDisk& entry : entries) {
      if (bytes <= limits_.bytes / 8 * 7 && count <= limits_.entries / 8 * 7) break;
      ::unlink(entry.file.c_str());
      bytes -= entry.bytes;
      --count;
    }
  }
  const std::lock_guard lock(mutex_);
  bytes_ = bytes;
  entries_ = count;
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
