// Which files are profiles, by the names that collectors give them: gmon.out, gmon.out.PID,
// PREFIX.PID, gmon.sum, and callgrind's callgrind.out.PID; beside a profile NAME, NAME.SONAME of
// each library and NAME.gpx, the sidecar.
//
// Thread contract: pure, but for the functions that say they read a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace gprof::lsp {

// gmon.out, gmon.sum, and gmon.out with numbers behind: .PID, .PID.N; callgrind.out.PID,
// callgrind.out.PID.N, and either with the number of a thread behind: -N.
[[nodiscard]] bool is_profile_name(std::string_view file_name);

// Also PREFIX.PID and PREFIX.PID.N, which other files may be called too.
[[nodiscard]] bool may_be_profile_name(std::string_view file_name);

// Whether the collector gives this name to a profile of the process: gmon.out, gmon.out.PID, or
// PREFIX.PID, the latter two also with a number behind. Any other in a live file is none of its.
[[nodiscard]] bool is_collected_name(std::string_view file_name, std::uint32_t process);

// The SONAME part of NAME.SONAME, for the profile NAME; empty where the file is none of a library.
[[nodiscard]] std::string_view library_part(std::string_view file_name,
                                            std::string_view profile_name);

[[nodiscard]] std::filesystem::path sidecar_path(const std::filesystem::path& profile);
// Of NAME.gpx, NAME; empty for other names.
[[nodiscard]] std::filesystem::path profile_of_sidecar(const std::filesystem::path& sidecar);

// They read the first bytes of the file.
[[nodiscard]] bool begins_like_gmon(const std::filesystem::path& path);
[[nodiscard]] bool begins_like_sidecar(const std::filesystem::path& path);

}  // namespace gprof::lsp
