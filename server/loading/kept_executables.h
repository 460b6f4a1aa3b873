// Copies of the executables that recordings were made with, so that a recording can be compared
// with after its program was rebuilt.
//
// A copy is found by what a profile says of its executable: the beginning of the build-id; for a
// program without one, the digest of the profile that it has written. Copies hold the debug
// information that is in the executable, and its time. They are of one user, and bounded in bytes
// and number, the least recently used going first; programs that are too large for that are not
// kept.
//
// Nothing there is trusted: a copy that is damaged or foreign counts as absent, and is replaced.
// Thread contract: any thread; any number of processes may share a folder. Errors: why a copy
// cannot be made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "engine/support/digest.h"
#include "engine/support/expected.h"
#include "engine/support/input_file.h"
#include "server/system/cache_folder.h"

namespace gprof::lsp {

struct KeptExecutableLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;
  std::size_t entries = 64;
  std::uint64_t entry_bytes = std::uint64_t{1} << 30;
  // A copy takes at most this part of the space that is free on the disk.
  std::uint64_t part_of_free_space = 4;
};

class KeptExecutables {
 public:
  explicit KeptExecutables(const std::filesystem::path& directory,
                           const KeptExecutableLimits& limits = {});
  KeptExecutables(const KeptExecutables&) = delete;
  KeptExecutables& operator=(const KeptExecutables&) = delete;

  // Keeps the executable that has written the profile, unless it already is, or is too large. One
  // with another build-id than the profile's has not, and is left alone; without a build-id it is
  // for the caller to know.
  [[nodiscard]] Expected<void> keep(const std::filesystem::path& executable,
                                    const std::filesystem::path& profile);
  // The copy of the executable that has written the profile.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::filesystem::path& profile);

 private:
  [[nodiscard]] std::optional<std::filesystem::path> copy_of(const std::string& profile_key);
  [[nodiscard]] std::optional<std::filesystem::path> whole_copy(const std::string& key);
  [[nodiscard]] Expected<SourceDigest> digest_of(const InputFile& file);
  [[nodiscard]] Expected<void> add_copy(const InputFile& executable, const std::string& key);
  [[nodiscard]] bool has_room_for(std::uint64_t bytes) const;

  const std::filesystem::path directory_;
  const KeptExecutableLimits limits_;
  CacheFolder copies_;   // by the digest of the content
  CacheFolder uses_;     // of the copies, whose own times are those of the executables
  CacheFolder origins_;  // by what a profile says of its executable: the key of the copy

  struct Known {
    FileStamp stamp;
    SourceDigest digest;
  };
  std::mutex mutex_;                    // guards what follows
  std::map<std::string, Known> known_;  // digests of files, by path
};

}  // namespace gprof::lsp
