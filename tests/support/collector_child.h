// The collector's own writing of a profile, from counters that a test describes: a child process
// takes them for its own tables, writes what a program writes at its end, and keeps its live file.
//
// Only the modules are not looked for in the process: they are those of the counters.
// Thread contract: one thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace gprof::test {

// `live`: counters as in a live file (live_builder.h). The files are in `directory` then, the live
// file among them. False if the collector could not write the profile.
bool write_by_collector(const std::vector<std::byte>& live, const std::filesystem::path& directory);

}  // namespace gprof::test
