#include "server/features/number_text.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {

std::string exact_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string short_count(std::uint64_t count) {
  if (count < 10'000) return exact_count(count);
  constexpr std::array<char, 6> units = {'k', 'M', 'G', 'T', 'P', 'E'};
  double value = static_cast<double>(count) / 1000;
  std::size_t unit = 0;
  // 999.5 would be printed as 1000: it belongs to the next unit.
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, decimals, units[unit]);
}

std::string percent(double share) {
  const double value = share * 100;
  if (value <= 0) return "0 %";
  if (value < 0.05) return "<0.1 %";
  return fmt::format("{:.{}f} %", value, value < 9.95 ? 1 : 0);
}

std::string estimated_text(std::string figure) {
  return figure.starts_with('<') ? figure : "≈" + std::move(figure);
}

std::string amount(double seconds, double ticks_per_second, char abbreviation) {
  const int needed =
      ticks_per_second > 1 ? static_cast<int>(std::ceil(std::log10(ticks_per_second) - 1e-9)) : 0;
  return fmt::format("{:.{}f} {}", seconds, std::min(needed, 2), abbreviation);
}

}  // namespace gprof::lsp
