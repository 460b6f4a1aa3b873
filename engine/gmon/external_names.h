// Code of other modules than the program: its names, and those that a profile itself gives it.
//
// Units: places of functions, as on stacks in the innermost frame; in the others the byte before.
// Thread contract: a value type.
#pragma once

#include <compare>
#include <map>
#include <string>

#include "engine/gmon/sidecar.h"

namespace gprof {

using ExternalNames = std::map<ModuleAddress, std::string>;

// A function of another module, or all its code of which no function is known.
struct ExternalCode {
  std::string module;    // the file's name; empty if it is not known
  std::string function;  // linkage name, or as the profile has it; empty if it is not known

  friend auto operator<=>(const ExternalCode&, const ExternalCode&) = default;
};

}  // namespace gprof
