// From the raw profile to the symbols of a report, by gprof's rules: samples, counted arcs, arcs of
// the machine code.
//
// Formulas: engine/profile/samples.h. Units: ticks. Thread contract: pure functions.
#pragma once

#include <vector>

#include "engine/code/machine_code.h"
#include "engine/gmon/raw_profile.h"
#include "engine/profile/profile.h"
#include "engine/report/report_data.h"

namespace gprof {

[[nodiscard]] SampleTally tally_samples(const RawProfile& raw, const SourceSymbolTable& symbols,
                                        const SymspecTables& selected);

// In the order that CallGraph::build() wants: newest first. Both ends of an arc must lie in
// symbols, and the arc must be chosen. One entry for every pair of functions.
[[nodiscard]] std::vector<SiteArc> tally_arcs(const RawProfile& raw,
                                              const SourceSymbolTable& symbols,
                                              const SymspecTables& selected);

// Calls that the machine code holds (-c), as arcs with count 0, in the order of their addresses.
// Where there is a histogram, calls and functions outside it are left out, as gprof does; under -l
// also jumps from line to line.
[[nodiscard]] std::vector<SiteArc> find_static_arcs(const MachineCode& code, const RawProfile& raw,
                                                    const SourceSymbolTable& symbols);

}  // namespace gprof
