// Samples outside the program's functions: in its libraries, in the collector, and in unknown code.
// With the functions' own they are all samples taken.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/profile/profile.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// Most first. Empty if all samples are in functions.
[[nodiscard]] std::vector<OtherSamples> other_samples(const Profile& profile);

// "1.49 s, without 0.44 s in the collector itself": the whole that shares refer to.
[[nodiscard]] std::string program_time_text(const Profile& profile);

}  // namespace gprof::lsp
