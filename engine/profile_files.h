// Reads the files that profiles come in, whatever their format: gmon files with the sidecars beside
// them, the live counters of a program that runs or was killed, and what other tools write: the
// text of `perf script`, and callgrind's files. The content of a file tells its format, not its
// name.
//
// Thread contract: pure functions of files. Errors: those of the format's reader.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/gmon/sidecar.h"
#include "engine/import/imported_profile.h"
#include "engine/program.h"
#include "engine/support/expected.h"

namespace gprof {

struct ProfileFile {
  RawProfile raw;
  // What raw cannot hold: stacks, and how it was collected.
  std::optional<Sidecar> sidecar;
  // Which of the sidecar's modules the program is.
  std::vector<bool> own_modules;
  // What calls cost with all that they called, where it was counted.
  InclusiveCosts inclusive;
  FileTime modified = 0;
};

// A profile of the program, or of another one: see matching.h. Of live counters, what the file
// holds at this moment, whether the process still runs or not.
[[nodiscard]] Expected<ProfileFile> read_profile_file(const std::filesystem::path& path,
                                                      const Program& program, Warnings& warnings);

// How gmon files of the program are laid out.
[[nodiscard]] GmonLayout layout_of(const Image& image);

// The same of a gmon file, for which the program's symbols need not be known; none of other files.
[[nodiscard]] Expected<std::optional<ProfileFile>> read_gmon_profile(
    const std::filesystem::path& path, const GmonLayout& layout, Warnings& warnings);

// The profile that the process would write for this program, its executable or one of its
// libraries, if it ended now. `modified` is when the process began: what was built since is another
// build. Errors: mismatch where the program took no part in the process; corrupt where nothing is
// known of its executable. `now`: of a process that runs; 0 where it is not known to.
[[nodiscard]] Expected<ProfileFile> profile_of_live(const LiveCounters& live,
                                                    const std::string& path, const Program& program,
                                                    Warnings& warnings, FileTime now = 0);

}  // namespace gprof
