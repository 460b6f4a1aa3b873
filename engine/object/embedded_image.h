// The image in .gnu_debugdata: nothing but a symbol table of functions, packed, which some
// distributions leave in stripped files.
//
// Thread contract: a pure function. Errors: none; what cannot be unpacked is not there.
#pragma once

#include <memory>

#include "engine/object/image.h"

namespace gprof {

// Null if there is none.
[[nodiscard]] std::shared_ptr<const Image> embedded_image(const Image& image);

}  // namespace gprof
