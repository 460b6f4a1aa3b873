// Whether an executable and a profile belong together.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/gmon/raw_profile.h"
#include "engine/program.h"
#include "engine/support/expected.h"

namespace gprof {

// How many of the functions whose calls a profile counts start in the program where the profile
// says, and how many do not. Undecidable ones are in neither.
struct Agreement {
  std::size_t agreeing = 0;
  std::size_t disagreeing = 0;

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// A call is counted by the called function, which calls the collector first of all; the arc's
// self_pc is where that call returns to, a few bytes after the entry. In another build, functions
// lie elsewhere, and something else is there. A self_pc that is itself an entry agrees: it was
// written by gprof -s, or by a program built with -finstrument-functions.
// Checks a few hundred functions, evenly spread. Cannot judge formats other than GNU's, machines
// other than x86, or functions without a visible collector call.
[[nodiscard]] Agreement agreement(const Program& program, const RawProfile& raw);

// Fails with ErrorCode::mismatch if the build-ids differ, or if none of the ranges that the
// histograms cover has code of the program. `raw`: without histograms and arcs.
[[nodiscard]] Expected<void> check_same_image(const Image& image, const RawProfile& raw,
                                              std::span<const AddressRange> covered,
                                              const std::string& profile_path);

// Fails with ErrorCode::mismatch if the build-ids differ, if the histograms lie outside the
// program's code, or if most calls go to none of its functions; and, if the profile is older than
// the executable and no build-ids can be compared, if more than a tenth of the functions disagree.
[[nodiscard]] Expected<void> check_belongs_together(const Program& program, const RawProfile& raw,
                                                    const std::string& profile_path,
                                                    FileTime profile_modified);

}  // namespace gprof
