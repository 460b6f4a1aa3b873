// The sum of the profiles of many runs of one program: gmon.sum, and gmon.sum.SONAME for each
// library.
//
// Samples of large programs lie in histograms around what was hit, which differ from run to run;
// they are laid out alike before they are added.
//
// Thread contract: reads and writes files; one thread.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/support/expected.h"
#include "server/record/record_summary.h"

namespace gprof::lsp {

// Adds up the profiles, which are of one program, and writes the sums into the directory (empty:
// the current one). Returns what was written, with summed figures. Errors: of a profile that
// cannot be read or added, of a file that cannot be written. Precondition: not empty.
[[nodiscard]] Expected<FoundProfile> write_sum(const std::filesystem::path& directory,
                                               const std::vector<FoundProfile>& profiles);

// Unites ranges that overlap or touch. Ascending.
[[nodiscard]] std::vector<AddressRange> united(std::vector<AddressRange> ranges);

// Lays samples out over the ranges, of which each histogram lies within one. Histograms whose
// bins are not of 2 bytes each stay as they are.
void lay_out_samples(RawProfile& profile, const std::vector<AddressRange>& ranges);

}  // namespace gprof::lsp
