// Remembers which build has written a profile that does not say it itself, as glibc's does not: the
// one that was there while only the profile was newer. So a program that is built again to the same
// bytes, as after a checkout there and back, is known to be the same, whatever its time.
//
// Builds are told apart by build-id, else by the digest of the executable. Bounded; see
// cache_folder.h. Thread contract: any thread; any number of processes may share a folder. Errors:
// none; what cannot be read or written is not known.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/snapshot.h"
#include "server/system/cache_folder.h"

namespace gprof::lsp {

class KnownBuilds {
 public:
  explicit KnownBuilds(const std::filesystem::path& directory);
  KnownBuilds(const KnownBuilds&) = delete;
  KnownBuilds& operator=(const KnownBuilds&) = delete;

  // The snapshot's program has written its profiles. Slow: call on a background thread.
  void note(const Snapshot& snapshot);
  // Whether that is known of its program, in a file of any time.
  [[nodiscard]] bool has_written(const Snapshot& snapshot) const;

 private:
  CacheFolder folder_;
};

}  // namespace gprof::lsp
