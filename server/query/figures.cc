#include "server/query/figures.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "server/discovery/run_text.h"
#include "server/features/cost_text.h"
#include "server/text/shown_text.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t longest_name = 240;
constexpr std::size_t longest_line = 160;
constexpr std::size_t longest_text = 600;

// So that few decimals are written.
double with_decimals(double value, int decimals) {
  if (decimals <= 0) {
    const double step = std::pow(10, -decimals);
    return std::round(value / step) * step;
  }
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  double read = value;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

int digits_before_point(double value) {
  return static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
}

std::string bounded(std::string_view text, std::size_t longest) {
  std::string clean = on_one_line(text);
  if (clean.size() <= longest) return clean;
  std::size_t end = longest;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0U) == 0x80U) --end;
  return clean.substr(0, end) + "…";
}

}  // namespace

double rounded(double value, double error) {
  if (value == 0 || !std::isfinite(value)) return 0;
  constexpr int exact_digits = 5;
  const int decimals = error > 0 ? 2 - digits_before_point(error)
                                 : std::max(0, exact_digits - digits_before_point(value));
  return with_decimals(value, decimals);
}

double rounded_error(double error) {
  if (!(error > 0) || !std::isfinite(error)) return 0;
  return with_decimals(error, 2 - digits_before_point(error));
}

double rounded_percent(double share) { return with_decimals(100 * share, 1); }

std::string quoted_name(std::string_view name) { return bounded(name, longest_name); }

std::string quoted_text(std::string_view text) { return bounded(text, longest_text); }

std::string quoted_line(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string()
                                         : bounded(line.substr(begin), longest_line);
}

AnswerScale scale_of(const LoadedProgram& program) {
  const Snapshot& snapshot = *program.snapshot;
  const FunctionCosts& profile = snapshot.profile();
  AnswerScale scale;
  scale.program = quoted_name(program.name);
  const bool is_derived = program.view && program.view->metric.derived;
  scale.metric = is_derived ? program.view->metric.name : snapshot.cost_metric().name;
  scale.unit = profile.dimension();
  if (has_times(profile)) {
    const Ticks all = profile.program_ticks();
    scale.program_total = rounded(profile.seconds(all), profile.seconds(profile.error_of(all)));
  }
  scale.totals = basis_of(snapshot);
  if (const auto below = sample_scale(profile).unsampled_below) {
    scale.unsampled_below = rounded_error(*below);
  }
  if (program.view) scale.part = program.view->selection_text;
  return scale;
}

std::vector<std::string> notes_of(const LoadedProgram& program) {
  const Snapshot& snapshot = *program.snapshot;
  std::vector<std::string> notes;
  if (program.rebuilt_since) {
    notes.emplace_back(
        "The executable was built again since the profile was written: record it again.");
  }
  for (const std::string& remark :
       {waiting_text(snapshot), tick_text(snapshot.profile()), stacks_text(snapshot.stacks())}) {
    if (!remark.empty()) notes.push_back(remark);
  }
  return notes;
}

}  // namespace gprof::lsp
