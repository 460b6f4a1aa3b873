// What an object file is and where its parts are, whatever its format. ELF's vocabulary serves for
// all: readers of other formats translate theirs (EM_*, ET_*, SHT_*, SHF_*).
//
// Thread contract: pure functions. Errors: wrong_format (another kind of file, named if
// recognised), truncated, corrupt, unsupported. Costs a few reads of headers, whatever the size of
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/object/byte_source.h"
#include "engine/object/image.h"

namespace gprof {

struct ObjectHeaders {
  ObjectFormat format = ObjectFormat::elf;
  PointerWidth pointer_width = PointerWidth::eight;
  ByteOrder byte_order = ByteOrder::little;
  std::uint16_t machine = 0;
  std::uint16_t file_type = 0;
  std::uint32_t processor_flags = 0;
  Address entry;
  std::vector<Section> sections;    // by index, including the null section at 0; may be empty
  std::vector<std::byte> build_id;  // empty if there is none, or it is damaged
  bool is_program = false;          // see Image::is_program()
};

[[nodiscard]] Expected<ObjectHeaders> read_object_headers(const ByteSource& source);

}  // namespace gprof
