// The executable or library that this code is part of, by its own program headers. Of use in static
// programs, where libc knows little of them, and where linkers leave out .eh_frame_hdr.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <elf.h>

#include "runtime/unwind/byte_cursor.h"

namespace gprof_runtime::own_image {

// Whether a segment of the image holds the address.
bool holds(std::uint64_t address);
// Whether it is a segment of code.
bool holds_code(std::uint64_t address);

// The program headers; empty where they are not in memory.
std::span<const Elf64_Phdr> segments();
// What a segment has in memory from the file. Empty where it is not to be read.
Bytes bytes_of(const Elf64_Phdr& segment);

// .eh_frame_hdr, null where there is none, and the segment that holds it.
const std::uint8_t* frame_header();
Bytes segment_of_frame_header();

}  // namespace gprof_runtime::own_image
