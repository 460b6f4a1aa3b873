#include "engine/support/expected.h"

#include <fmt/format.h>

namespace gprof {

std::string describe(const Error& error) {
  std::string text =
      error.path.empty() ? error.message : fmt::format("{}: {}", error.path, error.message);
  if (error.offset) text += fmt::format(" (at byte {})", *error.offset);
  return text;
}

}  // namespace gprof
