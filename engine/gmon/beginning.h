// Whether bytes can be the beginning of a gmon file that is still arriving, before more of it is
// waited for and held. In identify.cc, because the program is not known here either.
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

// What is wrong with them; none if a file of at most `most_bytes` from some program may start so.
[[nodiscard]] std::optional<Error> fault_of_beginning(std::span<const std::byte> bytes,
                                                      const std::string& path,
                                                      GmonFormatChoice choice,
                                                      std::uint64_t most_bytes);

}  // namespace gprof
