// MD5 digests, which DWARF 5 compilers record for the text they compiled. They detect a changed
// source; they are no protection against deliberate forgery.
//
// Thread contract: value types and pure functions. Errors: those of reading a file.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof {

// In the order of RFC 1321, as programs print it.
using SourceDigest = std::array<std::byte, 16>;

[[nodiscard]] SourceDigest md5(std::span<const std::byte> bytes);
// Of the whole file, however large it is.
[[nodiscard]] Expected<SourceDigest> md5(const InputFile& file);

}  // namespace gprof
