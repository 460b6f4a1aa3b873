#include "server/cli/record/record_words.h"

#include <cmath>

#include <fmt/format.h>

#include "server/text/number_text.h"

namespace gprof::lsp {

std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", exact_count(count), thing, count == 1 ? "" : "s");
}

double seconds_of(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / nanoseconds_a_second;
}

std::string seconds_text(double seconds) {
  if (seconds >= 99.95)
    return exact_count(static_cast<std::uint64_t>(std::llround(seconds))) + " s";
  if (seconds >= 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds >= 0.001) return fmt::format("{:.2g} s", seconds);
  return seconds > 0 ? "<0.001 s" : "0 s";
}

}  // namespace gprof::lsp
