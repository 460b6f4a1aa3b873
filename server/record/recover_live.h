// Turns gmon.live.PID, the counters of a process that has ended without writing its profile, into
// gmon files and a sidecar beside it.
//
// Such a file may be made up. So it has to be the user's own, and names its profile only as the
// collector names them; what is replaced begins as a profile. Else the profile gets a free name,
// and a warning says so.
//
// Thread contract: reads and writes files; one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// What the one who recovers knows more than the file does.
struct RecoveryContext {
  // Counters of processes that began before are left alone; nanoseconds of the realtime clock.
  std::uint64_t started_since = 0;
  // How this process ended, whose counters and its descendants' alone are meant. 0: not known of
  // any, and everybody's are meant.
  std::uint32_t known_process = 0;
  bool killed = false;
  int number = 0;              // exit status or signal
  std::uint64_t end_time = 0;  // realtime clock
  // What names of profiles may begin with though it holds directories (GMON_OUT_PREFIX): else a
  // name that leads out of the directory, which a stranger may have written, loses them.
  std::string trusted_prefix;
};

struct Recovered {
  std::uint32_t process = 0;
  std::filesystem::path profile;                 // the gmon file of the executable
  std::vector<std::filesystem::path> libraries;  // those of libraries
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;
  Warnings warnings;  // damage in the file
};
// The process has not ended.
struct StillRunning {
  std::uint32_t process = 0;
};
// There was nothing to be recovered: the profile had been written, or nothing had been counted.
struct Removed {
  bool written = false;
};
// It is of an earlier time or of another recording than was asked for, or no longer there.
struct LeftAlone {};
using Recovery = std::variant<Recovered, StillRunning, Removed, LeftAlone>;

// Errors: of a file that cannot be read or written; the live file is still there then.
[[nodiscard]] Expected<Recovery> recover_live_file(const std::filesystem::path& path,
                                                   const RecoveryContext& context);

}  // namespace gprof::lsp
