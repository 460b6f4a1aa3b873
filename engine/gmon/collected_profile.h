// Makes from live counters what a finished run writes: gmon profiles of the executable and of each
// profiled library, with link-time addresses, and the sidecar. The rules are the collector's own
// (docs/gmon-format.md, sections "Sidecar" and "Live counters"), so a profile recovered after a
// kill is what the program would have written at that instant.
//
// Thread contract: value types and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"

namespace gprof {

struct CollectRequest {
  // The name of the function at the address in the module at `module_path`; "" if unknown. Called
  // once per return address that calls passed through. Null: no names.
  std::function<std::string(const std::string& module_path, Address return_address)> via_name;
  // The name of the executable's gmon file, without directory; by default what the process chose,
  // or gmon.out. The names of the libraries' files and the sidecar start with it.
  std::string file_name;
  // Used if the counters do not say how and when the program ended.
  Ending ending = Ending::unknown;
  std::int32_t exit_status = 0;
  std::uint64_t end_time = 0;  // realtime clock, nanoseconds
};

// One gmon file, for write_gmon() with a layout of 8-byte little-endian words.
struct ModuleProfile {
  std::string file_suffix;   // after the executable's file name: "" for the executable, ".SONAME"
  std::uint32_t module = 0;  // index into Sidecar::modules
  std::string path;          // of the module
  RawProfile profile;
};

struct CollectedProfile {
  std::string file_name;  // as in the request, or chosen
  Sidecar sidecar;
  std::vector<ModuleProfile> modules;  // the executable's first
  Warnings warnings;                   // counts too large for a gmon file; they stop at its maximum
};

// Errors: corrupt if nothing is known of the executable, so that no gmon file can be made.
Expected<CollectedProfile> collect_profile(const LiveCounters& live, const CollectRequest& request);

}  // namespace gprof
