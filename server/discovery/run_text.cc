#include "server/discovery/run_text.h"

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

// A smaller share is lost in the other errors.
constexpr double notable_tick_share = 0.05;
constexpr double notable_stack_share = 0.05;

}  // namespace

std::string clock_time(Seconds seconds) {
  if (seconds > 0 && seconds < 0.005) return "<0.01 s";
  return fmt::format("{:.{}f} s", seconds, seconds < 0.995 ? 2 : seconds < 99.95 ? 1 : 0);
}

std::string ran_text(const Snapshot& snapshot) {
  const auto time = snapshot.run_info().run_time();
  if (!time) return {};
  return fmt::format("ran {}, {} on CPU", clock_time(time->wall), clock_time(time->cpu));
}

std::string waiting_text(const Snapshot& snapshot) {
  const auto time = snapshot.run_info().run_time();
  if (!time || !time->is_mostly_waiting()) return {};
  return fmt::format(
      "Mostly waiting ({} of {} on CPU){}.", clock_time(time->cpu), clock_time(time->wall),
      snapshot.waits() ? "; the metric wall shows where" : ", which these figures leave out");
}

std::string tick_text(const FunctionCosts& profile) {
  const double share = profile.errors().tick_share();
  if (share <= notable_tick_share) return {};
  return fmt::format(
      "{:.0f} % of the samples were taken at ticks of the kernel that the program may be in step "
      "with: "
      "where they lie may be the tick's doing, and errors are as large. Allow perf's clock "
      "(kernel.perf_event_paranoid at most 2) and record it again.",
      share * 100);
}

std::string stacks_text(const StackSamples& stacks) {
  const auto share = [&stacks](Ticks part) {
    return stacks.total() > 0 ? part / stacks.total() : 0;
  };
  std::string text;
  if (const double truncated = share(stacks.truncated()); truncated > notable_stack_share) {
    text = fmt::format(
        "{:.0f} % of the stacks are truncated: the totals of their outer callers lack that time.",
        truncated * 100);
  }
  if (const double inferred = share(stacks.inferred()); inferred > notable_stack_share) {
    text += fmt::format(
        "{}{:.0f} % of the stacks go through code without call frame information: its callers are "
        "inferred.",
        text.empty() ? "" : " ", inferred * 100);
  }
  return text;
}

bool is_program_start(const Snapshot& snapshot, SymbolIndex symbol) {
  const std::string_view name = snapshot.symbols()[symbol].name;
  return name == "main" || name == "MAIN__";
}

}  // namespace gprof::lsp
