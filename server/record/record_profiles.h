// The profiles that a run has left in a directory, by their sidecars.
//
// Units: times are nanoseconds of the realtime clock. Thread contract: reads files; pure otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "server/record/record_summary.h"

namespace gprof::lsp {

struct ProfileSearch {
  std::vector<std::filesystem::path> directories;  // empty path: the current one
  std::uint64_t started_since = 0;  // profiles of processes that began before are not meant
  // That was started. Meant are those of it and its descendants, not what other processes have
  // written into the directory meanwhile.
  std::uint32_t process = 0;
};

struct FoundProfiles {
  // Those of the process that was started first, and of these the first program it became.
  std::vector<FoundProfile> profiles;
  Warnings warnings;  // sidecars that cannot be read
};
[[nodiscard]] FoundProfiles find_profiles(const ProfileSearch& search);

// `path`: of the sidecar's gmon file, as it is to be shown.
[[nodiscard]] FoundProfile profile_of(const Sidecar& sidecar, const std::filesystem::path& path,
                                      CollectorCode& collector);

}  // namespace gprof::lsp
