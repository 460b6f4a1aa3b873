// MD5 digests, by which compilers name the text that they compiled (DWARF 5). They tell a changed
// source from an unchanged one; against somebody who wants to deceive they say nothing.
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
