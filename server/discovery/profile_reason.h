// Why these profiles of a program are shown, and not others.
//
// Thread contract: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gprof::lsp {

enum class ProfileReason : std::uint8_t {
  newest,    // of those that were found
  settings,  // gprof.programs names them
  loaded,    // gprof.load named them
  chosen,    // by the user, until a newer one is written
  pinned,    // by the user, whatever is written
};

// A sentence. `candidates`: how many there are to choose from.
[[nodiscard]] std::string describe(ProfileReason reason, std::size_t candidates);

}  // namespace gprof::lsp
