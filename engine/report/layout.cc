#include "engine/report/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/profile/samples.h"

namespace gprof {

void begin_report(TextOutput& text) {
  if (!text.empty()) text += "\f\n";
}

std::string right_aligned(std::string_view text, std::size_t width) {
  const std::string_view shown = text.substr(0, width);
  return std::string(width - shown.size(), ' ') + std::string(shown);
}

std::string left_aligned(std::string_view text, std::size_t width) {
  const std::string_view shown = text.substr(0, width);
  return std::string(shown) + std::string(width - shown.size(), ' ');
}

Seconds seconds_of(Ticks ticks, double rate) {
  if (rate > 0) return ticks / rate;
  if (ticks == 0) return -std::numeric_limits<double>::quiet_NaN();
  return std::copysign(std::numeric_limits<double>::infinity(), ticks);
}

std::string error_column(Ticks error, double rate) {
  const std::string shown = fmt::format("+-{:.2f}", seconds_of(error, rate));
  return shown.size() < error_width ? right_aligned(shown, error_width) : " " + shown;
}

std::uint64_t bytes_a_sample(double scale) {
  return static_cast<std::uint64_t>(scale) * bytes_per_unit;
}

}  // namespace gprof
