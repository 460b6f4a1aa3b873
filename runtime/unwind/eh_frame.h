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

// Finds the last function that begins at or before the address, whether or not it extends to the
// address. False if the object describes none there.
bool find_last_description(std::uint64_t address, FrameDescription* description);

// Addresses of which no two are in different described functions.
struct CodeBounds {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
};

// The function at the address, or the gap between described functions.
CodeBounds code_bounds(std::uint64_t address);

// The same within one object. `header`: its .eh_frame_hdr, within `bytes`.
bool find_description_in(Bytes bytes, const std::uint8_t* header, std::uint64_t address,
                         FrameDescription* description);

}  // namespace gprof_runtime
