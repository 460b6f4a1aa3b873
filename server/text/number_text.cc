#include "server/text/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/support/digit_groups.h"

namespace gprof::lsp {

namespace {

struct SmallUnit {
  double per_second;
  const char* name;
};

// The largest unit below a second in which the time exceeds the second decimal; null: the second.
const SmallUnit* small_unit(double seconds) {
  static constexpr std::array<SmallUnit, 3> units = {{{1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}}};
  constexpr double least_shown = 0.0095;
  if (seconds >= least_shown) return nullptr;
  for (const SmallUnit& unit : units) {
    if (seconds * unit.per_second >= least_shown) return &unit;
  }
  return &units.back();
}

// The decimals of a tick, at most two.
int decimals_of_tick(const TimeUnit& unit) {
  if (!(unit.ticks_per_second > 1)) return 0;
  return std::min(2, static_cast<int>(std::ceil(std::log10(unit.ticks_per_second) - 1e-9)));
}

}  // namespace

std::string exact_count(std::uint64_t count) { return digit_groups(count); }

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

TimeUnit time_unit(double ticks_per_second, std::string_view dimension, char abbreviation) {
  const bool is_letter =
      (abbreviation >= 'a' && abbreviation <= 'z') || (abbreviation >= 'A' && abbreviation <= 'Z');
  return {ticks_per_second,
          std::string(1, is_letter ? abbreviation : '?'),
          dimension == "seconds",
          {},
          0};
}

TimeUnit common_unit(TimeUnit unit, std::span<const double> errors) {
  double finest = 0;
  for (const double error : errors) {
    if (error > 0 && (finest <= 0 || error < finest)) finest = error;
  }
  const SmallUnit* small = unit.seconds && finest > 0 ? small_unit(finest) : nullptr;
  if (small == nullptr) return unit;
  unit.smaller = small->name;
  unit.smaller_per_second = small->per_second;
  return unit;
}

namespace {

// With two digits of the error.
std::string small_amount(double seconds, double error, double per_second, std::string_view name) {
  const double digits = error * per_second;
  return fmt::format("{:.{}f} {}", seconds * per_second,
                     digits < 0.95  ? 2
                     : digits < 9.5 ? 1
                                    : 0,
                     name);
}

}  // namespace

std::string amount(double seconds, double error, const TimeUnit& unit) {
  if (unit.smaller_per_second > 0) {
    return small_amount(seconds, error, unit.smaller_per_second, unit.smaller);
  }
  const SmallUnit* small = unit.seconds && error > 0 ? small_unit(error) : nullptr;
  if (small == nullptr) {
    return fmt::format("{:.{}f} {}", seconds, decimals_of_tick(unit), unit.abbreviation);
  }
  return small_amount(seconds, error, small->per_second, small->name);
}

std::string short_amount(double seconds, double error, const TimeUnit& unit) {
  // Counts have 64 bits; more is not told apart.
  constexpr double most = 1e19;
  if (unit.seconds || decimals_of_tick(unit) > 0) return amount(seconds, error, unit);
  const auto count = static_cast<std::uint64_t>(std::round(std::clamp(seconds, 0.0, most)));
  return fmt::format("{} {}", short_count(count), unit.abbreviation);
}

std::string error_text(double error, const TimeUnit& unit) {
  if (!(error > 0)) return {};
  std::string text = amount(error, error, unit);
  return text == amount(0, error, unit) ? std::string() : text;
}

std::string limit(double seconds, const TimeUnit& unit) {
  // Rounding errors of sums must not be rounded up.
  constexpr double slack = 1e-6;
  const SmallUnit* small = unit.seconds ? small_unit(seconds) : nullptr;
  if (small == nullptr) {
    const int decimals = decimals_of_tick(unit);
    const double steps = std::pow(10, decimals);
    return fmt::format("{:.{}f} {}", std::ceil(seconds * steps - slack) / steps, decimals,
                       unit.abbreviation);
  }
  const double tenths = std::ceil(seconds * small->per_second * 10 - slack);
  const bool whole = std::fmod(tenths, 10) == 0;
  return fmt::format("{:.{}f} {}", tenths / 10, whole ? 0 : 1, small->name);
}

}  // namespace gprof::lsp
