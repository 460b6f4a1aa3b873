// Distinguishes code in the program from code that the linker discarded: the debug information of
// that remains, with addresses of 0, -1 or -2.
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

  // For a unit's line number program.
  [[nodiscard]] std::uint64_t most_rows() const { return most_rows_; }

  // Whether an executable section holds the address. Without section headers, all that is known is
  // that code lies neither at 0 nor at the end of the address space.
  [[nodiscard]] bool is_code(Address address) const {
    if (has_code_sections_) return image_.code_section_at(address) != nullptr;
    const std::uint64_t last = image_.pointer_width() == PointerWidth::four ? 0xFFFFFFFFu : ~0ull;
    return address.value != 0 && address.value < last - 1;
  }

 private:
  // At most what the file can describe: sections may overlap, and may claim any size if they have
  // no bytes.
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
