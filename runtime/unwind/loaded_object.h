// Locates, in memory, the unwind information of the object that holds an address.
//
// Thread contract: any thread, any signal handler; no locks.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"

namespace gprof_runtime {

struct LoadedObject {
  // Readable memory that contains all the unwind information.
  Bytes bytes;
  // .eh_frame_hdr, in `bytes`; null if the object has none.
  const std::uint8_t* frame_header = nullptr;
  // Whether it is the image that contains this code: own_frames.h may know its frames.
  bool is_own_image = false;
};

// False if no loaded executable or library holds the address. (True does not mean that there is
// code at the address.)
bool find_object(std::uint64_t address, LoadedObject* object);

}  // namespace gprof_runtime
