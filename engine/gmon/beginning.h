// Whether bytes can be the beginning of a gmon file whose rest is still to come, before more of it
// is waited for and held. In identify.cc, since the program is not known, either.
//
// Thread contract: a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/gmon/reader.h"

namespace gprof {

// What is wrong with them; nothing where some program's file of at most `most_bytes` may begin so.
[[nodiscard]] std::optional<Error> fault_of_beginning(std::span<const std::byte> bytes,
                                                      const std::string& path,
                                                      GmonFormatChoice choice,
                                                      std::uint64_t most_bytes);

}  // namespace gprof
