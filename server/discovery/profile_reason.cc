#include "server/discovery/profile_reason.h"

#include <fmt/format.h>

namespace gprof::lsp {

std::string describe(ProfileReason reason, std::size_t candidates) {
  switch (reason) {
    case ProfileReason::settings:
      return "Named by the setting gprof.programs.";
    case ProfileReason::loaded:
      return "Loaded by command.";
    case ProfileReason::chosen:
      return "Chosen by you, until a newer profile is written.";
    case ProfileReason::pinned:
      return "Pinned: newer profiles are not shown.";
    case ProfileReason::newest:
      break;
  }
  return candidates > 1 ? fmt::format("The newest of {} profiles.", candidates)
                        : "The only profile that was found.";
}

}  // namespace gprof::lsp
