// The headers of an ELF file, decoded by libelf: what the file is and where its parts lie.
//
// Thread contract: pure functions. Errors: truncated, corrupt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/object/byte_source.h"
#include "engine/object/object_headers.h"

namespace gprof {

struct Segment {
  std::uint32_t type = 0;  // PT_*
  std::uint64_t offset = 0;
  std::uint64_t file_size = 0;
  std::uint64_t alignment = 0;
};

struct ElfHeaders : ObjectHeaders {
  std::vector<Segment> segments;
};

// Precondition: the file begins with ELF's mark.
[[nodiscard]] Expected<ObjectHeaders> read_elf_headers(const ByteSource& source);

// NT_GNU_BUILD_ID's bytes; empty if the notes have none or are damaged.
[[nodiscard]] std::vector<std::byte> read_build_id(const ByteSource& source,
                                                   const ElfHeaders& headers);

// See Image::is_program().
[[nodiscard]] bool is_program_file(const ByteSource& source, const ElfHeaders& headers);

}  // namespace gprof
