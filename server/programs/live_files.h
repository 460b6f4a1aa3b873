// The files gmon.live.PID in which programs count while they run, and whether their processes do.
//
// Thread contract: any thread; they read directories and /proc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// The process of a file of that name: `gmon.live.PID`, or `gmon.live.PID.N` where the remains of
// another process had that name. 0 where the name is another one.
[[nodiscard]] std::uint32_t live_file_process(std::string_view file_name);

// The files of that kind in the directory (empty: the current one), by ascending name. Errors:
// not_found, unreadable.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> find_live_files(
    const std::filesystem::path& directory);

// Whether a process of this number runs that began at that time (field 22 of /proc/PID/stat; 0:
// not known, any one is meant).
[[nodiscard]] bool process_runs(std::uint32_t process, std::uint64_t start);

}  // namespace gprof::lsp
