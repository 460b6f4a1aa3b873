// What a run's figures do not show by themselves: its wall-clock time, that they exclude waiting,
// that the kernel's tick may have decided where samples were taken, and that callers are missing.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "engine/analysis.h"

namespace gprof::lsp {

// A wall-clock time: "0.09 s", "3.9 s", "125 s".
[[nodiscard]] std::string clock_time(Seconds seconds);
// "ran 3.9 s, 0.09 s on CPU"; empty if not known.
[[nodiscard]] std::string ran_text(const Snapshot& snapshot);
// A sentence if less than a third of the time was on a CPU; else empty.
[[nodiscard]] std::string waiting_text(const Snapshot& snapshot);
// A sentence, with advice, if many samples may be in step with the kernel's tick; else empty.
[[nodiscard]] std::string tick_text(const FunctionCosts& profile);
// Sentences if more than a twentieth of the sampled stacks are truncated, or have callers that the
// collector inferred; else empty.
[[nodiscard]] std::string stacks_text(const StackSamples& stacks);

// Whether the program starts with the function: main or its equivalent.
[[nodiscard]] bool is_program_start(const Snapshot& snapshot, SymbolIndex symbol);

}  // namespace gprof::lsp
