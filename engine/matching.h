// Whether an executable and a profile belong together.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "engine/gmon/raw_profile.h"
#include "engine/program.h"
#include "engine/support/expected.h"

namespace gprof {

// Of the functions that a profile counts calls of, how many begin in the program as the profile
// says, and how many do not. Those of which that cannot be told are in neither.
struct Agreement {
  std::size_t agreeing = 0;
  std::size_t disagreeing = 0;

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// A call is counted by the called function, which calls the collector first of all; the arc's
// self_pc is where that call returns to, a few bytes behind the entry. So another build, whose
// functions lie elsewhere, has something else there. A self_pc that is an entry itself agrees: it
// was written by gprof -s, or by a program built with -finstrument-functions.
// A few hundred functions are looked at, evenly chosen. Nothing can be told of other formats than
// GNU's, of other machines than x86, and of functions in which no call of a collector is seen.
[[nodiscard]] Agreement agreement(const Program& program, const RawProfile& raw);

// Fails with ErrorCode::mismatch where the build-id differs, where the histograms lie outside the
// program's code, or where most calls go to no function of it; and, where the profile is older
// than the executable and no build-id can be compared, where more than a tenth of the functions
// disagree.
[[nodiscard]] Expected<void> check_belongs_together(const Program& program, const RawProfile& raw,
                                                    const std::string& profile_path,
                                                    FileTime profile_modified);

}  // namespace gprof
