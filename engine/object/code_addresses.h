// From a symbol's value to the address of the code that it names.
//
// Units: link-time addresses. Ownership: borrows the image. Thread contract: immutable.
#pragma once

#include "engine/object/image.h"
#include "engine/object/raw_symbols.h"

namespace gprof {

// The symbol's value; the lowest bit of an Arm function says that it is Thumb code, and is not part
// of the address.
[[nodiscard]] Address without_thumb_bit(const Image& image, const RawSymbol& symbol);

class CodeAddresses {
 public:
  // `image` has the code: of a separate debug file's symbols, the program or library itself.
  explicit CodeAddresses(const Image& image);

  [[nodiscard]] Address of(const RawSymbol& symbol) const;

 private:
  [[nodiscard]] Address through_descriptor(Address address) const;

  const Image& image_;
  const Section* descriptors_ = nullptr;
};

}  // namespace gprof
