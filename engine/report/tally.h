// From the raw profile to a report's symbols, by gprof's rules: samples, counted arcs, arcs in the
// machine code.
//
// Formulas: engine/analysis/samples.h. Units: ticks. Thread contract: pure functions.
#pragma once

#include <vector>

#include "engine/analysis/function_costs.h"
#include "engine/code/machine_code.h"
#include "engine/gmon/raw_profile.h"
#include "engine/report/report_data.h"

namespace gprof {

[[nodiscard]] SampleTally tally_samples(const RawProfile& raw, const SourceSymbolTable& symbols,
                                        const SymspecTables& selected);

// The same for a profile that was attributed to the program's functions already.
[[nodiscard]] SampleTally tally_of_profile(const FunctionCosts& profile,
                                           const SourceSymbolTable& symbols,
                                           const SymspecTables& selected);

// In the order that CallGraph::build() requires: newest first. Both ends of an arc must be in
// symbols, and the arc must be selected. One entry per pair of functions.
[[nodiscard]] std::vector<SiteArc> tally_arcs(const RawProfile& raw,
                                              const SourceSymbolTable& symbols,
                                              const SymspecTables& selected);

// Calls in the machine code (-c), as arcs with count 0, by address. If there is a histogram, calls
// and functions outside it are left out, as in gprof; under -l, includes jumps between lines.
[[nodiscard]] std::vector<SiteArc> find_static_arcs(const MachineCode& code, const RawProfile& raw,
                                                    const SourceSymbolTable& symbols);

}  // namespace gprof
