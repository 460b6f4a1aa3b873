// What a run's figures do not tell by themselves: how long it took by the clock, that waiting is
// not in them, and that the kernel's tick may have decided where samples lie.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "engine/analysis.h"

namespace gprof::lsp {

// A time of a clock: "0.09 s", "3.9 s", "125 s".
[[nodiscard]] std::string clock_time(Seconds seconds);
// "ran 3.9 s, 0.09 s on CPU"; empty where that is not known.
[[nodiscard]] std::string ran_text(const Snapshot& snapshot);
// A sentence where less than a third of the time was on a CPU; else empty.
[[nodiscard]] std::string waiting_text(const Snapshot& snapshot);
// A sentence where many samples may be in step with the kernel's tick, and what to do; else empty.
[[nodiscard]] std::string tick_text(const Profile& profile);

// Whether the program begins with the function: main, or what stands for it.
[[nodiscard]] bool is_program_start(const Snapshot& snapshot, SymbolIndex symbol);

}  // namespace gprof::lsp
