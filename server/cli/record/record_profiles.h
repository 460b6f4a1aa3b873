// Finds the profiles that a run left in a directory, by their sidecars.
//
// Units: times are nanoseconds of the realtime clock. Thread contract: reads files; pure otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "server/cli/record/record_summary.h"

namespace gprof::lsp {

struct ProfileSearch {
  std::vector<std::filesystem::path> directories;  // empty path: the current one
  std::uint64_t started_since = 0;  // profiles of processes that began earlier are ignored
  // The process that was started. Only its profiles and its descendants' count, not what other
  // processes have written to the directory meanwhile.
  std::uint32_t process = 0;
};

struct FoundProfiles {
  // Those of the started process first, ordered by the programs that it executed.
  std::vector<FoundProfile> profiles;
  Warnings warnings;  // sidecars that cannot be read
};
[[nodiscard]] FoundProfiles find_profiles(const ProfileSearch& search);

// Whether there is a file that was written at that time or later, as far as files' times tell.
[[nodiscard]] bool written_since(const std::filesystem::path& path, std::uint64_t time);

// `path`: of the sidecar's gmon file, as shown to the user.
[[nodiscard]] FoundProfile profile_of(const Sidecar& sidecar, const std::filesystem::path& path,
                                      CollectorCode& collector);

}  // namespace gprof::lsp
