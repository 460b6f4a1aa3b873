#include "server/loading/comparison_text.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

// "0.51 → 0.77 s": the unit stands once where both have it.
std::string times_text(const std::string& before, const std::string& after) {
  const std::size_t unit = before.rfind(' ');
  const bool same = unit != std::string::npos && after.ends_with(before.substr(unit));
  return fmt::format("{} → {}", same ? before.substr(0, unit) : before, after);
}

std::string change_text(const TimeChange& change) {
  if (!change.significant) {
    std::string text = ": no difference beyond noise";
    if (change.runs_to_decide) {
      text += fmt::format("; {} runs a side would decide", *change.runs_to_decide);
    }
    return text;
  }
  std::string text;
  if (change.before > 0) {
    const double percent = change.difference() / change.before * 100;
    text = fmt::format(", {}{:.0f} %", percent < 0 ? "−" : "+", std::abs(percent));
  }
  return text + (change.difference() > 0 ? ": regressed" : ": improved");
}

}  // namespace

std::optional<ProgramComparison> program_comparison(const LoadedProgram& program) {
  if (!program.comparison) return std::nullopt;
  if (!program.comparison->has_times()) {
    return ProgramComparison{"only calls are compared: one side has no samples", std::nullopt};
  }
  const TimeChange& change = program.comparison->program();
  const FunctionCosts& profile = program.snapshot->profile();
  const TimeUnit unit =
      time_unit(profile.ticks_per_second(), profile.dimension(), profile.dimension_abbreviation());
  return ProgramComparison{times_text(amount(change.before, change.before_error, unit),
                                      amount(change.after, change.after_error, unit)) +
                               change_text(change),
                           verdict_of(change)};
}

}  // namespace gprof::lsp
