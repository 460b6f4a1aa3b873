// Which files are profiles, by the names that collectors give them: gmon.out, gmon.out.PID,
// PREFIX.PID, gmon.sum, callgrind's callgrind.out.PID, perf's perf.data, and pprof's NAME.pb.gz and
// NAME.pprof; folded stacks, NAME.folded; next to a profile NAME, NAME.SONAME for each library, and
// NAME.gpx, the sidecar.
//
// Thread contract: pure, except for functions documented to read a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/import/pprof.h"

namespace gprof::lsp {

using gprof::is_pprof_name;

// gmon.out, gmon.sum, gmon.out.PID and gmon.out.PID.N; callgrind.out.PID and callgrind.out.PID.N,
// either with a thread number -N appended; perf.data and perf.data.old; NAME.pb.gz, NAME.pprof and
// NAME.folded.
[[nodiscard]] bool is_profile_name(std::string_view file_name);

// Whether it is the file `data` in a folder that perf recorded to.
[[nodiscard]] bool is_in_perf_folder(const std::filesystem::path& path);
// Whether it is the file `data` or a stream (`data.0`) in a folder that perf recorded to.
[[nodiscard]] bool is_part_of_perf_folder(const std::filesystem::path& path);

// "callgrind.out.PID" for any file of that run, whatever its part and thread; empty for other
// names.
[[nodiscard]] std::string_view callgrind_run(std::string_view file_name);

// They say neither of which program they are nor of what: the last choice, however new.
[[nodiscard]] bool is_folded_name(std::string_view file_name);

// Also PREFIX.PID and PREFIX.PID.N, which other files may be named, too.
[[nodiscard]] bool may_be_profile_name(std::string_view file_name);

// Whether the collector gives this name to a profile of the process: gmon.out, gmon.out.PID, or
// PREFIX.PID, the latter two also with .N appended. Any other name in a live file is not from the
// collector.
[[nodiscard]] bool is_collected_name(std::string_view file_name, std::uint32_t process);

// The SONAME part of NAME.SONAME, for the profile NAME; empty if the file is not a library's.
[[nodiscard]] std::string_view library_part(std::string_view file_name,
                                            std::string_view profile_name);

[[nodiscard]] std::filesystem::path sidecar_path(const std::filesystem::path& profile);
// NAME for NAME.gpx; empty for other names.
[[nodiscard]] std::filesystem::path profile_of_sidecar(const std::filesystem::path& sidecar);

// These read the first bytes of the file.
[[nodiscard]] bool begins_like_gmon(const std::filesystem::path& path);
[[nodiscard]] bool begins_like_sidecar(const std::filesystem::path& path);

}  // namespace gprof::lsp
