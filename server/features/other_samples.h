// Samples outside the program's functions: in functions of its libraries, or in a library whose
// functions are not known, in the collector, and in unknown code. With the functions' own they are
// all samples taken.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/function_costs.h"
#include "engine/comparison/comparison.h"
#include "engine/snapshot.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// Most first. Empty if all samples are in functions of the program. With their names as in the
// source, or as linkage names, and with their differences from the base if there is a comparison.
[[nodiscard]] std::vector<OtherSamples> other_samples(const Snapshot& snapshot, bool demangle,
                                                      const Comparison* comparison = nullptr);
// The same with one row a library.
[[nodiscard]] std::vector<OtherSamples> other_samples_by_module(const Snapshot& snapshot);

// "1.49 s, without 0.44 s in the collector itself": the whole that shares refer to.
[[nodiscard]] std::string program_time_text(const FunctionCosts& profile);

}  // namespace gprof::lsp
