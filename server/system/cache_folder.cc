#include "server/system/cache_folder.h"

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
#include "engine/support/hexadecimal.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

constexpr std::size_t digits_of_name = 32;

constexpr auto prune_interval = std::chrono::minutes(1);
// The time of the last use is the file's modification time, and is updated no more often.
constexpr auto use_interval = std::chrono::hours(1);
// An entry unfinished by then never will be finished: its server was killed.
constexpr auto unfinished_lifetime = std::chrono::hours(1);

bool is_entry_name(std::string_view name, std::string_view ending) {
  if (name.size() != digits_of_name + ending.size() || !name.ends_with(ending)) return false;
  return name.find_first_not_of("0123456789abcdef") == digits_of_name;
}

// Nobody else can have written it.
bool is_ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Of a regular file of ours; directories and targets of symbolic links do not belong to the cache.
std::optional<struct stat> regular_status(const fs::path& file) {
  struct stat status = {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return is_ours_alone(status) ? std::optional(status) : std::nullopt;
}

enum class FolderState : std::uint8_t { absent, ours, of_others };

FolderState state_of(const fs::path& directory) {
  struct stat status = {};
  if (::stat(directory.c_str(), &status) != 0) return FolderState::absent;
  return S_ISDIR(status.st_mode) && is_ours_alone(status) ? FolderState::ours
                                                          : FolderState::of_others;
}

system_clock::time_point last_use(const struct stat& status) {
  return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(
      std::chrono::seconds(status.st_mtim.tv_sec) +
      std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

Error cannot(std::string_view what, const fs::path& path, int code) {
  return Error{ErrorCode::unreadable,
               fmt::format("{}: {}", what, std::generic_category().message(code)),
               path.string(),
               {}};
}

// For the user only: source paths are private.
Expected<void> make_directory(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || !directory.has_relative_path()) {
    return cannot("cannot make the directory", directory, errno);
  }
  TRY(make_directory(directory.parent_path()));
  if (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return cannot("cannot make the directory", directory, errno);
}

struct EntryOnDisk {
  fs::path file;
  std::uint64_t bytes = 0;
  system_clock::time_point used;
};

fs::path note_of(const fs::path& entry, std::string_view note_ending) {
  return fs::path(entry).replace_extension(note_ending);
}

// Every entry; files that were begun long ago and never finished are removed.
std::vector<EntryOnDisk> list_entries(const fs::path& directory, std::string_view ending,
                                      std::string_view note_ending) {
  std::vector<EntryOnDisk> entries;
  const auto now = system_clock::now();
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const bool unfinished = is_unfinished_name(name);
    if (!unfinished && !is_entry_name(name, ending)) continue;
    const auto status = regular_status(at->path());
    if (!status) continue;
    if (!unfinished) {
      // A time in the future counts as oldest: setting the clock back must not keep an entry.
      const auto known_use = [&](const struct stat& file) {
        return last_use(file) > now ? system_clock::time_point() : last_use(file);
      };
      auto used = known_use(*status);
      if (!note_ending.empty()) {
        const auto note = regular_status(note_of(at->path(), note_ending));
        if (note) used = std::max(used, known_use(*note));
      }
      entries.push_back({at->path(), static_cast<std::uint64_t>(status->st_size), used});
    } else if (last_use(*status) < now - unfinished_lifetime) {
      ::unlink(at->path().c_str());
    }
  }
  return entries;
}

}  // namespace

Expected<void> write_all(int descriptor, std::string_view bytes) {
  if (const int error = write_bytes(descriptor, bytes)) {
    return cannot("cannot write the file", {}, error);
  }
  return {};
}

CacheFolder::CacheFolder(fs::path directory, std::string ending, const CacheFolderLimits& limits,
                         std::string note_ending)
    : directory_(std::move(directory)),
      ending_(std::move(ending)),
      note_ending_(std::move(note_ending)),
      limits_(limits) {}

fs::path CacheFolder::file_of(std::string_view key) const {
  return directory_ / (hexadecimal(md5(std::as_bytes(std::span(key)))) + ending_);
}

std::optional<fs::path> CacheFolder::find(std::string_view key) const {
  fs::path file = file_of(key);
  if (state_of(directory_) != FolderState::ours || !regular_status(file)) return std::nullopt;
  return file;
}

void CacheFolder::note_use(const fs::path& entry) {
  const auto status = regular_status(entry);
  if (!status) return;
  const auto now = system_clock::now();
  // A use in the future does not count: such an entry would stay forever.
  if (last_use(*status) > now - use_interval && last_use(*status) <= now) return;
  ::utimensat(AT_FDCWD, entry.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

void CacheFolder::remove(const fs::path& entry) { ::unlink(entry.c_str()); }

// Not synchronised with the disk: a power failure may leave a damaged entry, which its checksum
// gives away. Gives the bytes that were written.
Expected<std::uint64_t> CacheFolder::write(const fs::path& file, const Fill& fill) const {
  TRY_ASSIGN(auto beside, NewFile::create(file, Readers::owner_alone));
  if (auto filled = fill(beside.descriptor()); !filled) {
    Error error = filled.error();
    if (error.path.empty()) error.path = file;
    return error;
  }
  struct stat status = {};
  if (::fstat(beside.descriptor(), &status) != 0) {
    return cannot("cannot read the file's status", file, errno);
  }
  TRY(beside.commit());
  return static_cast<std::uint64_t>(status.st_size);
}

Expected<void> CacheFolder::put(std::string_view key, const Fill& fill) {
  const fs::path file = file_of(key);
  if (state_of(directory_) == FolderState::absent) {
    TRY(make_directory(directory_));
  }
  if (state_of(directory_) != FolderState::ours) return refusal();
  TRY_ASSIGN(const auto written, write(file, fill));
  if (is_prune_due(written)) prune();
  return {};
}

// Reported once.
Expected<void> CacheFolder::refusal() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(told_of_refusal_, true)) return {};
  return Error{ErrorCode::unreadable,
               "nothing is cached here: a folder expected that belongs to the user of this process "
               "and that nobody else can write to; remove it, or chmod 700",
               directory_.string(),
               {}};
}

bool CacheFolder::is_prune_due(std::uint64_t bytes_written) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_written;
  ++entries_;
  const auto now = std::chrono::steady_clock::now();
  const bool full = bytes_ > limits_.bytes || entries_ > limits_.entries;
  if (pruned_ && !full && now - *pruned_ < prune_interval) return false;
  pruned_ = now;
  return true;
}

// Down to seven eighths, so that a full directory is not listed at every write. Other processes may
// do the same at the same time: missing files are not an error.
void CacheFolder::prune() {
  std::vector<EntryOnDisk> entries = list_entries(directory_, ending_, note_ending_);
  std::uint64_t bytes = 0;
  for (const EntryOnDisk& entry : entries) bytes += entry.bytes;
  std::size_t count = entries.size();
  if (bytes > limits_.bytes || count > limits_.entries) {
    std::sort(entries.begin(), entries.end(),
              [](const EntryOnDisk& a, const EntryOnDisk& b) { return a.used < b.used; });
    for (const EntryOnDisk& entry : entries) {
      if (bytes <= limits_.bytes - limits_.bytes / 8 &&
          count <= limits_.entries - limits_.entries / 8) {
        break;
      }
      ::unlink(entry.file.c_str());
      if (!note_ending_.empty()) ::unlink(note_of(entry.file, note_ending_).c_str());
      bytes -= entry.bytes;
      --count;
    }
  }
  const std::lock_guard lock(mutex_);
  bytes_ = bytes;
  entries_ = count;
}

}  // namespace gprof::lsp
