// Samples and call chains as `perf script` prints them.
//
// A sample is a line `COMMAND PID[/TID] [CPU] TIME: PERIOD EVENT:` and frames `IP SYMBOL+OFFSET
// (FILE)`, on the same line or one per line below it. Functions are found by symbol and offset:
// addresses are those of the process and only serve to find its load bias.
//
// Thread contract: pure functions. Errors: wrong_format, and no_profile_data if no sample is in the
// program.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"

namespace gprof {

// Whether a text that starts like this is one.
[[nodiscard]] bool is_perf_script(std::string_view start);

[[nodiscard]] Expected<ImportedProfile> read_perf_script(std::string_view text,
                                                         const std::string& path,
                                                         const ImportTarget& target,
                                                         Warnings& warnings);

}  // namespace gprof
