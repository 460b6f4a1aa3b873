// Turns gmon.live.PID, the counters of a process that ended without writing its profile, into gmon
// files and a sidecar next to it.
//
// Such a file may be forged. So it must belong to the user, may only give its profile a name that
// the collector would, and only a file that begins like a profile is replaced. Otherwise the
// profile gets a free name, with a warning.
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

// What the caller knows beyond the file.
struct RecoveryContext {
  // Counters of processes that began before are left alone; nanoseconds of the realtime clock.
  std::uint64_t started_since = 0;
  // The process whose end is known: only its counters and its descendants' are recovered. 0: none
  // is known, and all are recovered.
  std::uint32_t known_process = 0;
  bool killed = false;
  int number = 0;              // exit status or signal
  std::uint64_t end_time = 0;  // realtime clock
  // A prefix of profile names that may contain directories (GMON_OUT_PREFIX): other names, which
  // may be forged, lose theirs.
  std::string trusted_prefix;
};

struct Recovered {
  std::uint32_t process = 0;
  std::filesystem::path profile;                 // the gmon file of the executable
  std::vector<std::filesystem::path> libraries;  // those of the libraries
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;
  Warnings warnings;  // damage in the file
};
// The process has not ended.
struct StillRunning {
  std::uint32_t process = 0;
};
// There was nothing to recover: the profile had been written, or nothing had been counted.
struct Removed {
  bool written = false;
};
// It is too old, of another recording, or no longer there.
struct LeftAlone {};
using Recovery = std::variant<Recovered, StillRunning, Removed, LeftAlone>;

// Errors: a file that cannot be read or written; the live file is then kept.
[[nodiscard]] Expected<Recovery> recover_live_file(const std::filesystem::path& path,
                                                   const RecoveryContext& context);

}  // namespace gprof::lsp
