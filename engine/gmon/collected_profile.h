// What a finished run writes, made of live counters: gmon profiles of the executable and of each
// profiled library, with link-time addresses, and the sidecar. The rules are the collector's own
// (docs/gmon-format.md, sections "Sidecar" and "Live counters"), so that a profile recovered after
// a kill says what the program would have written in that instant.
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
  // The name of the function of the module at `module_path` that holds the address; "" where none
  // is known. Asked once for each return address that calls passed through. Null: no names.
  std::function<std::string(const std::string& module_path, Address return_address)> through_name;
  // The name of the executable's gmon file, without directory; by default what the process chose,
  // or gmon.out. Libraries' files and the sidecar have it as the first part of their names.
  std::string file_name;
  // Where the counters do not say how the program ended, and when.
  Ending ending = Ending::unknown;
  std::int32_t exit_status = 0;
  std::uint64_t end_time = 0;  // realtime clock, nanoseconds
};

// One gmon file, for write_gmon() with the layout of 8-byte little-endian words.
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
  Warnings warnings;  // counts that a gmon file cannot hold; they stop at the largest that it can
};

// Errors: corrupt where nothing is known of the executable, so that no gmon file can be made.
Expected<CollectedProfile> collect_profile(const LiveCounters& live, const CollectRequest& request);

}  // namespace gprof
