// Whether a file was written since somebody looked at it, told by what the file system says of it.
//
// Thread contract: any thread.
#pragma once

#include <string>

#include "engine/support/input_file.h"

namespace gprof {

// As long as a file's times may stay what they are when it is written once more.
inline constexpr FileTime settling_time = 100'000'000;

[[nodiscard]] FileTime file_time_now();

// Whether what was written after `at` shows in the times of a file that was last changed then.
[[nodiscard]] bool is_settled(FileTime changed, FileTime at);

// Of an open file. Where two of them are equal, nobody wrote into the file in between: its time of
// change cannot be set, and what a crash of the machine may do to a file that was not on the disk
// yet, is behind another start of the machine. Empty where that is not certain: the file was
// changed a moment ago, or the system does not tell.
[[nodiscard]] std::string file_state(int descriptor);

}  // namespace gprof
