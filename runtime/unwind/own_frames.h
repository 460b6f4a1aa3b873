// The functions of a static program linked without .eh_frame_hdr: finds .eh_frame in the program's
// segments, once, and sorts its functions.
//
// Thread contract: any thread, any signal handler. The first one builds the table; meanwhile the
// others find nothing.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"

namespace gprof_runtime::own_frames {

// The FDE, within *bytes, of the last function that begins at or before the address; null if there
// is none.
const std::uint8_t* find(std::uint64_t address, Bytes* bytes);

// Builds the table now if it is needed.
void prepare();

}  // namespace gprof_runtime::own_frames
