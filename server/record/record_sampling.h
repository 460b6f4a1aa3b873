// What the last line of `gprof-lsp record` says of samples: how many, at which rate, and what is to
// be known of them. Nothing is scaled; a rate that was missed is said with the reason, as far as
// the figures tell it.
//
// Units: times are nanoseconds, rates samples a second of CPU time. Thread contract: pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "server/record/record_figures.h"

namespace gprof::lsp {

// "321 samples at 99.6 of 100 Hz".
[[nodiscard]] std::string describe_samples(const ProfileFigures& figures);

// What matters of: a missed rate, samples outside of the program, the kernel's tick, the price of
// sampling and counting. The most important first; empty where all is well.
[[nodiscard]] std::vector<std::string> remarks_on_samples(const ProfileFigures& figures);

}  // namespace gprof::lsp
