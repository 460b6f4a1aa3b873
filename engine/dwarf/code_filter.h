// Tells code that is in the program from code that the linker threw away: its debug information
// stays behind, with addresses of 0, -1 or -2.
//
// Ownership: borrows the image. Thread contract: immutable, any thread.
#pragma once

#include "engine/object/image.h"
#include "engine/support/units.h"

namespace gprof::dwarf {

class CodeFilter {
 public:
  explicit CodeFilter(const Image& image)
      : image_(image), has_code_sections_(!image.code_range().empty()) {}

  // An executable section holds the address. Without section headers nothing is known but that
  // code lies neither at 0 nor at the end of the address space.
  [[nodiscard]] bool is_code(Address address) const {
    if (has_code_sections_) return image_.code_section_at(address) != nullptr;
    const std::uint64_t last = image_.pointer_width() == PointerWidth::four ? 0xFFFFFFFFu : ~0ull;
    return address.value != 0 && address.value < last - 1;
  }

 private:
  const Image& image_;
  bool has_code_sections_;
};

}  // namespace gprof::dwarf
