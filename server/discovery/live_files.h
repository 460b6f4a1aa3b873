// The files gmon.live.PID that programs count in while they run, and whether their processes run.
//
// Thread contract: any thread; reads directories and /proc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// The process of a file with that name: `gmon.live.PID`, or `gmon.live.PID.N` if a leftover of
// another process had that name. 0 for other names.
[[nodiscard]] std::uint32_t live_file_process(std::string_view file_name);

// Such files in the directory (empty: the current one), by ascending name. Errors: not_found,
// unreadable.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> find_live_files(
    const std::filesystem::path& directory);

// Whether a process with this number and start time (field 22 of /proc/PID/stat; 0: any) is
// running.
[[nodiscard]] bool process_runs(std::uint32_t process, std::uint64_t start);

}  // namespace gprof::lsp
