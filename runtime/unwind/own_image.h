// The executable or library that contains this code, from its own program headers. Useful in static
// programs, about which libc knows little and where linkers leave out .eh_frame_hdr.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <elf.h>

#include "runtime/unwind/byte_cursor.h"

namespace gprof_runtime::own_image {

// Whether a segment of the image holds the address.
bool holds(std::uint64_t address);
// Whether a code segment does.
bool holds_code(std::uint64_t address);

// The program headers; empty if they are not in memory.
std::span<const Elf64_Phdr> segments();
// The part of a segment that comes from the file. Empty if the segment is not readable.
Bytes bytes_of(const Elf64_Phdr& segment);

// .eh_frame_hdr, or null, and the segment that holds it.
const std::uint8_t* frame_header();
Bytes segment_of_frame_header();

}  // namespace gprof_runtime::own_image
