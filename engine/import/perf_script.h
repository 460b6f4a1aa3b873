// Samples and call chains as `perf script` prints them: a metric of each event.
//
// A sample is a line `COMMAND TID [CPU] TIME: PERIOD EVENT:`, or with PID/TID for the thread's
// number, and frames `IP SYMBOL+OFFSET (FILE)`, on the same line or one per line below it.
// Functions are found by symbol and offset: addresses are those of the process and only serve to
// find its load bias. Code of libraries and of the kernel goes by the names that the text has. The
// time line begins at the first sample's time by perf's clock.
//
// Thread contract: pure functions. Errors: wrong_format, mismatch if no sample is in the program,
// and those of reading the text.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"
#include "engine/support/text_blocks.h"

namespace gprof {

// Whether a text that starts like this is one.
[[nodiscard]] bool is_perf_script(std::string_view start);

// Reads the text twice, a block at a time.
[[nodiscard]] Expected<Profile> read_perf_script(const TextBlocks& text, const std::string& path,
                                                 const ImportTarget& target, MemoryRoom& room,
                                                 Warnings& warnings);
// The same of a text in memory.
[[nodiscard]] Expected<Profile> read_perf_script(std::string_view text, const std::string& path,
                                                 const ImportTarget& target, MemoryRoom& room,
                                                 Warnings& warnings);

}  // namespace gprof
