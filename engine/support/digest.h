// MD5 digests, which DWARF 5 compilers record for the text they compiled. They detect a changed
// source; they are no protection against deliberate forgery.
//
// Thread contract: value types and pure functions. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace gprof {

// In the order of RFC 1321, as programs print it.
using SourceDigest = std::array<std::byte, 16>;

[[nodiscard]] SourceDigest md5(std::span<const std::byte> bytes);

}  // namespace gprof
