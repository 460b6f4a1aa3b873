#include "engine/report/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/analysis/samples.h"
#include "engine/snapshot.h"
#include "engine/waiting.h"

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

namespace {

// Of the metric that the view is by.
Seconds idle_left_out(const Snapshot& view) {
  const std::string& cost = view.cost_metric().name;
  if (!view.waits() || view.selection().with_idle || !is_of_waiting(cost)) return 0;
  const WaitTimes& idle = view.waits()->idle();
  const auto kind = wait_kind_of(cost);
  const std::uint64_t time = kind ? idle.kinds[place_of(*kind)].time : idle.all().time;
  return static_cast<double>(time) / nanoseconds_a_second;
}

}  // namespace

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
  if (!request.view) return;
  const Snapshot& view = *request.view;
  if (const Seconds idle = idle_left_out(view); idle > 0) {
    append(text, "Idle waiting is left out, {:.2f} seconds: --idle counts it.\n", idle);
  }
  if (view.selection().is_all()) return;
  append(text, "Part of the profile: {}.{}\n", selection_text(view.selection(), view.dimensions()),
         view.selection().is_of_time() ? " Calls have no time, and are left out." : "");
}

std::uint64_t bytes_a_sample(double scale) {
  return static_cast<std::uint64_t>(scale) * bytes_per_unit;
}

}  // namespace gprof
