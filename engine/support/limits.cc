#include "engine/support/limits.h"

#include <fmt/format.h>

namespace gprof {

Expected<void> check_size(const InputFile& file, std::uint64_t most, std::string_view what) {
  if (file.size() <= most) return {};
  return Error{ErrorCode::unsupported,
               fmt::format("{} of at most {} bytes expected, {} found; check that it is one", what,
                           most, file.size()),
               file.path(), std::nullopt};
}

}  // namespace gprof
