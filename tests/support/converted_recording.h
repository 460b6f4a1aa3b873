// A perf.data in memory, read and converted as read_profile_file() does it.
#pragma once

#include <utility>

#include "engine/import/converted_profile.h"
#include "engine/import/perf_data/perf_data.h"

namespace gprof::test {

inline Expected<ImportedProfile> converted_recording(perf_data::PerfBytes bytes,
                                                     const ImportTarget& target,
                                                     const Image& program, Warnings& warnings) {
  MemoryRoom room(bytes.size());
  const std::string path = bytes.path();
  auto profile = read_perf_data(std::move(bytes), target, program, room, warnings);
  if (!profile) return profile.error();
  return converted_profile(*profile, target, path, room, warnings);
}

}  // namespace gprof::test
