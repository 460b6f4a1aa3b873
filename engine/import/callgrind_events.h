// What the events of callgrind's files mean, which the files seldom say.
//
// Thread contract: pure functions.
#pragma once

#include "engine/import/callgrind_parser.h"
#include "engine/import/imported_profile.h"

namespace gprof {

// Sets the profile's metric, and the unit and rate of its costs.
void describe_callgrind_event(const CallgrindEvent& event, ImportedProfile& profile);

}  // namespace gprof
