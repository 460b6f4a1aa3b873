// Samples outside of the program's functions: in its libraries, in the collector, and in code that
// nothing is known of. With the functions' own they are all samples that were taken.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/profile/profile.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// Most first. Empty where every sample is a function's.
[[nodiscard]] std::vector<OtherSamples> other_samples(const Profile& profile);

// "1.49 s, without 0.44 s in the collector itself": what shares are a part of.
[[nodiscard]] std::string program_time_text(const Profile& profile);

}  // namespace gprof::lsp
