// Hears from the kernel of changes in some directories, by inotify.
//
// Ownership: owns its descriptor. Thread contract: one thread at a time. Bounded in watches.
// Errors: ok() is false where the system gives no inotify; watch() says where it gives too few
// watches. Then files have to be looked at now and then instead.
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
    bool complete = false;  // false where not all of the directories can be watched
    // Not watched before: what came into them until now was not told.
    std::vector<std::filesystem::path> new_directories;
  };
  // Replaces what was watched before. Of a directory that does not exist, the nearest one above it
  // is watched.
  Watched watch(const std::vector<std::filesystem::path>& directories);

  struct Events {
    std::vector<std::filesystem::path> paths;
    std::vector<std::filesystem::path> new_directories;
    bool lost = false;         // there were more than the kernel keeps
    bool directories = false;  // directories have come or gone: watch() again
  };
  // Whatever has happened; does not wait.
  [[nodiscard]] Events read();

  [[nodiscard]] std::size_t watches() const { return directories_.size(); }

 private:
  bool add(const std::vector<std::filesystem::path>& directories,
           std::map<int, std::vector<std::filesystem::path>>& watched);
  void take(const char* bytes, std::size_t size, Events& events);

  int descriptor_ = -1;
  // By the kernel's number of a watch: the paths that lead to the directory.
  std::map<int, std::vector<std::filesystem::path>> directories_;
};

}  // namespace gprof::lsp
