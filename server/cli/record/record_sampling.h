// What the last line of `gprof-lsp record` says about samples: how many, at which rate, and
// caveats. Nothing is scaled; a missed rate is reported with the reason, as far as the figures show
// it.
//
// Units: times are nanoseconds, rates samples per second of CPU time. Thread contract: pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "server/cli/record/record_figures.h"

namespace gprof::lsp {

// "321 samples at 100 Hz"; "300 samples at 93.2 of 100 Hz" if the rate was missed by more than 5 %.
[[nodiscard]] std::string describe_samples(const ProfileFigures& figures);

// Remarks, as needed, on: a missed rate, samples outside the program, the kernel's tick, the cost
// of sampling and counting. Most important first; empty if all is well.
[[nodiscard]] std::vector<std::string> remarks_on_samples(const ProfileFigures& figures);

}  // namespace gprof::lsp
