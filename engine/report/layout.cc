#include "engine/report/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/profile/samples.h"
#include "engine/snapshot.h"

namespace gprof {

TextOutput::Mark begin_report(TextOutput& text) {
  if (!text.empty()) text += "\f\n";
  return {text, RangeKind::section};
}

void append_share(TextOutput& text, double percentage, unsigned decimals, std::size_t width) {
  if (!text.has_ranges()) return text.append_fixed(percentage, decimals, width);
  // As it is printed; nothing that is no number.
  const double scale = decimals == 1 ? 10 : 100;
  const double shown = std::round(std::fmin(std::fmax(percentage, 0), 1e6) * scale);
  const TextOutput::Mark mark(text, RangeKind::share,
                              static_cast<std::uint64_t>(shown * 100 / scale));
  text.append_fixed(percentage, decimals, width);
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

void append_part(TextOutput& text, const ReportRequest& request) {
  if (!request.view || request.view->selection().is_all()) return;
  const Snapshot& view = *request.view;
  append(text, "Part of the profile: {}.{}\n", selection_text(view.selection(), view.dimensions()),
         view.selection().is_of_time() ? " Calls have no time, and are left out." : "");
}

std::uint64_t bytes_a_sample(double scale) {
  return static_cast<std::uint64_t>(scale) * bytes_per_unit;
}

}  // namespace gprof
