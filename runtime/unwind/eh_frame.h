// Finds the entry of .eh_frame that describes the function at an address.
//
// Thread contract: any thread, any signal handler; no locks.
#pragma once

#include <cstdint>

#include "runtime/unwind/frame_entries.h"

namespace gprof_runtime {

enum class FrameSearch : std::uint8_t {
  found,
  no_description,  // an object holds the address, but describes no function there
  no_object,
};

FrameSearch find_description(std::uint64_t address, FrameDescription* description);

// The same within one object. `header`: its .eh_frame_hdr, within `bytes`.
bool find_description_in(Bytes bytes, const std::uint8_t* header, std::uint64_t address,
                         FrameDescription* description);

}  // namespace gprof_runtime
