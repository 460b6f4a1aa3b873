// Names that a profile itself gives to code of other modules than the program.
//
// Units: places of functions, as on stacks in the innermost frame; in the others the byte before.
// Thread contract: a value type.
#pragma once

#include <map>
#include <string>

#include "engine/gmon/sidecar.h"

namespace gprof {

using ExternalNames = std::map<ModuleAddress, std::string>;

}  // namespace gprof
