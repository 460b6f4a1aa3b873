#include "server/loading/file_watcher.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <sys/inotify.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t wanted_events = IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
                                        IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
                                        IN_MOVE_SELF | IN_ONLYDIR;

fs::path nearest_existing(fs::path directory) {
  std::error_code error;
  while (!fs::is_directory(directory, error) && directory.has_relative_path()) {
    directory = directory.parent_path();
  }
  return directory;
}

std::vector<fs::path> all_existing(const std::vector<fs::path>& directories) {
  std::vector<fs::path> result;
  std::set<fs::path> seen;
  for (const fs::path& wanted : directories) {
    fs::path directory = nearest_existing(wanted);
    if (!directory.empty() && seen.insert(directory).second) {
      result.push_back(std::move(directory));
    }
  }
  return result;
}

}  // namespace

FileWatcher::FileWatcher() : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

FileWatcher::~FileWatcher() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FileWatcher::add(const std::vector<fs::path>& directories,
                      std::map<int, std::vector<fs::path>>& watched) {
  bool complete = true;
  for (const fs::path& directory : directories) {
    if (watched.size() >= most_watches) return false;
    const int number = ::inotify_add_watch(descriptor_, directory.c_str(), wanted_events);
    if (number < 0) {
      complete = false;
      continue;
    }
    auto& paths = watched[number];
    if (std::find(paths.begin(), paths.end(), directory) == paths.end()) paths.push_back(directory);
  }
  return complete;
}

FileWatcher::Watched FileWatcher::watch(const std::vector<fs::path>& directories) {
  if (!ok()) return {};
  Watched result;
  std::map<int, std::vector<fs::path>> watched;
  // A directory may be created while its parent is not watched yet.
  constexpr int most_rounds = 4;
  std::vector<fs::path> existing = all_existing(directories);
  for (int round = 0; round < most_rounds; ++round) {
    result.complete = add(existing, watched);
    const std::vector<fs::path> now = all_existing(directories);
    if (now == existing) break;
    existing = now;
  }
  for (const auto& [number, paths] : directories_) {
    if (!watched.contains(number)) ::inotify_rm_watch(descriptor_, number);
  }
  for (const auto& [number, paths] : watched) {
    if (directories_.contains(number)) continue;
    result.new_directories.insert(result.new_directories.end(), paths.begin(), paths.end());
  }
  directories_ = std::move(watched);
  return result;
}

FileWatcher::Events FileWatcher::read() {
  Events events;
  // Room for one event with the longest name, which the kernel requires.
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (;;) {
    const ::ssize_t size = ::read(descriptor_, buffer.data(), buffer.size());
    if (size <= 0) return events;
    take(buffer.data(), static_cast<std::size_t>(size), events);
  }
}

void FileWatcher::take(const char* bytes, std::size_t size, Events& events) {
  std::size_t at = 0;
  while (size - at >= sizeof(inotify_event)) {
    inotify_event event = {};
    std::memcpy(&event, bytes + at, sizeof event);
    const char* name = bytes + at + sizeof event;
    if (event.len > size - at - sizeof event) return;
    at += sizeof event + event.len;
    if ((event.mask & IN_Q_OVERFLOW) != 0) events.lost = true;
    const auto found = directories_.find(event.wd);
    if (found == directories_.end()) continue;
    constexpr std::uint32_t gone = IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
    if ((event.mask & gone) != 0) {
      events.directories = true;
      if ((event.mask & IN_IGNORED) != 0) directories_.erase(found);
      continue;
    }
    if (event.len == 0) continue;
    constexpr std::uint32_t come_or_gone = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
    const std::string_view file(name, ::strnlen(name, event.len));
    const bool is_directory = (event.mask & IN_ISDIR) != 0;
    if (is_directory && (event.mask & come_or_gone) == 0) continue;
    events.directories = events.directories || is_directory;
    auto& paths = is_directory ? events.new_directories : events.paths;
    for (const fs::path& directory : found->second) paths.push_back(directory / file);
  }
}

}  // namespace gprof::lsp
