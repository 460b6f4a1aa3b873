// The functions of a static program that was linked without .eh_frame_hdr: .eh_frame is searched
// for in the program's segments, once, and its functions are sorted.
//
// Thread contract: any thread, any signal handler. One of them makes the table; while it does, the
// others find nothing.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"

namespace gprof_runtime::own_frames {

// The FDE of the last function that begins at or before the address, which lies in *bytes; null
// where there is none.
const std::uint8_t* find(std::uint64_t address, Bytes* bytes);

// Makes the table now, where it is needed.
void prepare();

}  // namespace gprof_runtime::own_frames
