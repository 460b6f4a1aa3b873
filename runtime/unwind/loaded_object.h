// Where the unwind information of the object that holds an address lies in memory.
//
// Thread contract: any thread, any signal handler; no locks.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"

namespace gprof_runtime {

struct LoadedObject {
  // Memory that may be read, with all the unwind information in it.
  Bytes bytes;
  // .eh_frame_hdr, in `bytes`; null where the object has none.
  const std::uint8_t* frame_header = nullptr;
  // It is the image that this code is part of: own_frames.h may know its frames.
  bool is_own_image = false;
};

// False where no loaded executable or library holds the address. (True says nothing about whether
// there is code at the address.)
bool find_object(std::uint64_t address, LoadedObject* object);

}  // namespace gprof_runtime
