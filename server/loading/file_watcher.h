// Watches directories for changes by inotify.
//
// Ownership: owns its descriptor. Thread contract: one thread at a time. Bounded in watches.
// Errors: ok() is false if inotify is unavailable; watch() tells if there are too few watches.
// Files must then be polled instead.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <vector>

namespace gprof::lsp {

class FileWatcher {
 public:
  static constexpr std::size_t most_watches = 1024;

  FileWatcher();
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
  // Readable when there is something to read().
  [[nodiscard]] int descriptor() const { return descriptor_; }

  struct Watched {
    bool complete = false;  // false if not all directories can be watched
    // Not watched before: earlier changes in them were not reported.
    std::vector<std::filesystem::path> new_directories;
  };
  // Replaces the previous watches. For a directory that does not exist, the nearest existing parent
  // is watched.
  Watched watch(const std::vector<std::filesystem::path>& directories);

  struct Events {
    std::vector<std::filesystem::path> paths;
    std::vector<std::filesystem::path> new_directories;
    bool lost = false;         // the kernel's queue overflowed
    bool directories = false;  // directories appeared or vanished: call watch() again
  };
  // All pending events; does not block.
  [[nodiscard]] Events read();

  [[nodiscard]] std::size_t watches() const { return directories_.size(); }

 private:
  bool add(const std::vector<std::filesystem::path>& directories,
           std::map<int, std::vector<std::filesystem::path>>& watched);
  void take(const char* bytes, std::size_t size, Events& events);

  int descriptor_ = -1;
  // By watch descriptor: the paths that lead to the directory.
  std::map<int, std::vector<std::filesystem::path>> directories_;
};

}  // namespace gprof::lsp
