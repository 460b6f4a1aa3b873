// Writes a profile as a GNU version 1 gmon file that GNU gprof reads back with the same figures:
// counts too large for a record continue in further records. The order: histograms, arcs, block
// counts. A profile with a rate but no bins keeps it in a histogram without bins.
//
// Thread contract: a pure function. Errors: invalid_argument when the file cannot say what the
// profile says: an address beyond the pointer width, a name of the dimension beyond 15 characters,
// or a count that would take more than most_records_a_count records or max_gmon_size bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/support/expected.h"
#include "formats/gmon_rules.h"

namespace gprof {

// 268 million samples in one bin (31 days at 100 a second), 1.76e13 calls by one arc:
// readers that add up in 32 signed bits, as GNU gprof adds samples, do not wrap below it.
using gprof_formats::most_records_a_count;
inline constexpr std::uint64_t max_gmon_size = std::uint64_t{1} << 30;

[[nodiscard]] Expected<std::vector<std::byte>> write_gmon(const RawProfile& profile,
                                                          const GmonLayout& layout);

// An old BSD file or, if `profile.format` is bsd44, a 4.4BSD file. These hold one histogram and no
// records that add up. Errors: invalid_argument if that does not suffice.
[[nodiscard]] Expected<std::vector<std::byte>> write_bsd_gmon(const RawProfile& profile,
                                                              const GmonLayout& layout);

}  // namespace gprof
