// Where a signal ended a process, as the collector noted it (runtime/sampling/crash_note.h).
//
// Thread contract: plain values, and a function of its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/snapshot_file.h"
#include "engine/support/units.h"

namespace gprof {

struct CrashFrame {
  // In its module: of the instruction that crashed, in the first frame, or of the last byte of a
  // call. What to look up.
  Address address;
  std::string module;  // the name of another module's file; empty: the program
};

struct Crash {
  int signal = 0;
  std::optional<std::uint64_t> address;  // of the access that faulted; none if no access did
  std::string thread;                    // its name, if there are several
  std::vector<CrashFrame> frames;        // the innermost ones; never empty

  // To or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.number(self.signal);
    stream.optional(self.address);
    stream.text(self.thread);
    stream.list(self.frames, [&](auto& frame) {
      stream.number(frame.address);
      stream.text(frame.module);
    });
    if constexpr (is_reader<Stream>) {
      if (self.frames.empty()) stream.fail();
    }
  }
};

// Those of the sidecar, at most `most_crashes`. `own_modules`: which of its modules are the
// program.
[[nodiscard]] std::vector<Crash> crashes_of(const Sidecar& sidecar,
                                            const std::vector<bool>& own_modules);

}  // namespace gprof
