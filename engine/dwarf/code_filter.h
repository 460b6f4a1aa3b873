// Tells code that is in the program from code that the linker threw away: its debug information
// stays behind, with addresses of 0, -1 or -2.
//
// Ownership: borrows the image. Thread contract: immutable, any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/object/image.h"
#include "engine/support/limits.h"
#include "engine/support/units.h"

namespace gprof::dwarf {

class CodeFilter {
 public:
  explicit CodeFilter(const Image& image)
      : image_(image),
        has_code_sections_(!image.code_range().empty()),
        most_rows_(most_line_rows(code_bytes(image))) {}

  // That a unit's line number program may make.
  [[nodiscard]] std::uint64_t most_rows() const { return most_rows_; }

  // An executable section holds the address. Without section headers nothing is known but that
  // code lies neither at 0 nor at the end of the address space.
  [[nodiscard]] bool is_code(Address address) const {
    if (has_code_sections_) return image_.code_section_at(address) != nullptr;
    const std::uint64_t last = image_.pointer_width() == PointerWidth::four ? 0xFFFFFFFFu : ~0ull;
    return address.value != 0 && address.value < last - 1;
  }

 private:
  // No more than the file can speak of: sections may lie upon one another, and claim any size where
  // they have no bytes.
  static std::uint64_t code_bytes(const Image& image) {
    const std::uint64_t most = most_code_bytes(image.file_size());
    std::uint64_t bytes = 0;
    for (const Section& section : image.sections()) {
      if (section.allocated() && section.executable())
        bytes += std::min(section.size, most - bytes);
    }
    return bytes;
  }

  const Image& image_;
  bool has_code_sections_;
  std::uint64_t most_rows_;
};

}  // namespace gprof::dwarf
