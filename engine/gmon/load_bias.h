// Profiles of programs that the system moves: Windows loads a program at any multiple of 64 KiB
// (/DYNAMICBASE), and the collectors of MinGW and Cygwin write the addresses of that run. glibc's
// and ours write link-time addresses for any program.
//
// Thread contract: pure functions. Errors: none; what fits no place is left where it is.
#pragma once

#include <cstdint>

#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/reader.h"

namespace gprof {

// By how much the addresses of a profile exceed those of the program, modulo 2^64, judging by the
// code that it sampled: 0 if that is within the program's, or if no place or several ones fit.
[[nodiscard]] std::uint64_t load_bias(AddressRange sampled, const GmonLayout& layout);

// Gives the profile the addresses of its program. Changes nothing without layout.movable_code.
void place_at_link_address(EncodedProfile& profile);

}  // namespace gprof
