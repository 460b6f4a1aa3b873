// Source languages, as far as they affect how a name is shown.
#pragma once

#include <cstdint>

namespace gprof {

enum class Language : std::uint8_t { unknown, c, cpp, fortran, ada, d, rust, go, assembler };
inline constexpr Language last_language = Language::assembler;

}  // namespace gprof
