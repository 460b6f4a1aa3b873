// Profiles that gperftools writes: samples of CPU time (CPUPROFILE), and the texts of heap profiles
// and of lock contention. Go's and C++'s runtimes wrote the same formats before pprof's.
//
// Addresses are those of the process; the list of its mappings follows the samples in the file.
// Source: gperftools, docs/cpuprofile-fileformat.html and heapprofile.html.
//
// Thread contract: pure functions. Errors: corrupt, with the offset; no_profile_data.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"
#include "engine/support/expected.h"

namespace gprof {

// Whether a file that starts like this is one.
[[nodiscard]] bool is_gperftools(std::string_view start);

[[nodiscard]] Expected<Profile> read_gperftools(std::string_view bytes, const std::string& path,
                                                const ImportTarget& target, MemoryRoom& room,
                                                Warnings& warnings);

}  // namespace gprof
