// The headers of an ELF file, decoded by libelf: what the file is and where its parts lie.
//
// Thread contract: pure functions. Errors: wrong_format (another kind of file, named if
// recognised), truncated, corrupt. Costs one read of the headers, whatever the size of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/object/byte_source.h"
#include "engine/object/image.h"

namespace gprof {

struct Segment {
  std::uint32_t type = 0;  // PT_*
  std::uint64_t offset = 0;
  std::uint64_t file_size = 0;
  std::uint64_t alignment = 0;
};

struct ElfHeaders {
  PointerWidth pointer_width = PointerWidth::eight;
  ByteOrder byte_order = ByteOrder::little;
  std::uint16_t machine = 0;
  std::uint16_t file_type = 0;
  std::uint32_t processor_flags = 0;
  Address entry;
  std::vector<Section> sections;  // by index, including the null section at 0; may be empty
  std::vector<Segment> segments;
};

[[nodiscard]] Expected<ElfHeaders> read_elf_headers(const ByteSource& source);

// NT_GNU_BUILD_ID's bytes; empty if the notes have none or are damaged.
[[nodiscard]] std::vector<std::byte> read_build_id(const ByteSource& source,
                                                   const ElfHeaders& headers);

// See Image::is_program().
[[nodiscard]] bool is_program_file(const ByteSource& source, const ElfHeaders& headers);

}  // namespace gprof
