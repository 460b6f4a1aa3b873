#include "server/features/wait_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/waiting.h"
#include "server/features/line_details.h"
#include "server/features/own_location.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

// Less is in any program, and tells nothing.
constexpr std::uint64_t least_time = 1'000'000;
// A kind with nearly all of the time stands for all of it.
constexpr double nearly_all = 0.995;
constexpr std::size_t most_holders_shown = 5;

struct WaitUnit {
  double nanoseconds;
  std::string_view name;
};
constexpr std::array<WaitUnit, 4> wait_units = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};

// In which the rounded number has no more than three digits before the point.
const WaitUnit& unit_of(std::uint64_t time) {
  constexpr double rounds_up = 0.9995;
  const auto found = std::ranges::find_if(wait_units, [&](const WaitUnit& unit) {
    return static_cast<double>(time) >= rounds_up * unit.nanoseconds;
  });
  return found == wait_units.end() ? wait_units.back() : *found;
}

// Two digits or all before the point: "8.2", "12", "430".
std::string number_in(const WaitUnit& unit, std::uint64_t time) {
  const double value = static_cast<double>(time) / unit.nanoseconds;
  constexpr double no_more_digits = 9.95;
  return fmt::format("{:.{}f}", value, value < no_more_digits && unit.nanoseconds > 1 ? 1 : 0);
}

std::string short_time(std::uint64_t time) {
  const WaitUnit& unit = unit_of(time);
  return fmt::format("{} {}", number_in(unit, time), unit.name);
}

// Three digits.
std::string exact_time(std::uint64_t time) {
  const WaitUnit& unit = unit_of(time);
  const double value = static_cast<double>(time) / unit.nanoseconds;
  const int decimals = unit.nanoseconds == 1 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit.name);
}

std::string times_text(std::uint64_t times) {
  return times == 1 ? "once" : fmt::format("{} times", exact_count(times));
}

// Waits for a CPU are not counted, and their places are estimated.
std::string wait_count_text(const WaitTime& time) {
  return time.times == 0 ? " (an estimate, by samples)" : ", " + times_text(time.times);
}

bool is_of_one_kind(const WaitTimes& waits) {
  const WaitTime& greatest = waits.kinds[place_of(waits.greatest())];
  return static_cast<double>(greatest.time) >= nearly_all * static_cast<double>(waits.all().time);
}

// What the end of a line shows. On a busy machine every wait is followed by one for a CPU, which
// says nothing about the line: it is left out if another kind is longer.
WaitTimes shown_on_line(const LoadedProgram& program, const WaitSummary& waits) {
  WaitTimes shown = shown_waits(program, waits);
  if (shown.greatest() != WaitKind::cpu) shown.kinds[place_of(WaitKind::cpu)] = {};
  return shown;
}

std::uint64_t shown_in_program(const LoadedProgram& program) {
  const auto& index = program.snapshot->waits();
  if (!index) return 0;
  WaitTimes all = index->busy();
  if (shows_idle(program)) all.add(index->idle());
  return all.all().time;
}

// "lock 7.90 s, 100 times; io 0.30 s, 20 times", the most time first.
std::string kinds_text(const WaitTimes& waits) {
  std::vector<WaitKind> kinds;
  for (std::size_t i = 0; i < wait_kind_count; ++i) {
    if (waits.kinds[i].time != 0) kinds.push_back(wait_kind_at(i));
  }
  std::ranges::stable_sort(kinds, std::ranges::greater(),
                           [&](WaitKind kind) { return waits.kinds[place_of(kind)].time; });
  std::string text;
  for (const WaitKind kind : kinds) {
    const WaitTime& time = waits.kinds[place_of(kind)];
    text += fmt::format("{}{} {}{}", text.empty() ? "" : "; ", wait_kind_name(kind),
                        exact_time(time.time), wait_count_text(time));
  }
  return text;
}

// ", 3 times, 200 ms at the longest: lock 300 ms, 2 times; sleep 10.0 ms, once."
std::string details_of(const WaitTimes& waits) {
  const WaitTime all = waits.all();
  std::string text = wait_count_text(all);
  if (all.longest != 0 && all.times > 1) {
    text += fmt::format(", {} at the longest", exact_time(all.longest));
  }
  return fmt::format(
      "{}: {}.", text,
      is_of_one_kind(waits) ? std::string(wait_kind_name(waits.greatest())) : kinds_text(waits));
}

// Where threads wait: `own` of `all` nanoseconds block in the function or line itself.
std::string_view place_of_waits(std::uint64_t own, std::uint64_t all) {
  if (own == all) return "here";
  return own == 0 ? "in what it calls" : "here and in what it calls";
}

// "Waits 10.0 ms here, once: sleep. With what it calls 310 ms, 3 times, …", as times are written.
std::string waits_text(const WaitTimes& own, const WaitTimes& waits) {
  const std::uint64_t own_time = own.all().time;
  const std::uint64_t all_time = waits.all().time;
  if (own_time == 0 || own_time == all_time) {
    return fmt::format("Waits {} {}{}", exact_time(all_time), place_of_waits(own_time, all_time),
                       details_of(waits));
  }
  return fmt::format("Waits {} here{} With what it calls {}{}", exact_time(own_time),
                     details_of(own), exact_time(all_time), details_of(waits));
}

// "`put` at queue.c:12"
std::string holder_text(const MarkupWriter& out, const FileView& view, const LockHolder& holder) {
  if (!holder.place) return "code of a library";
  const auto symbol = view.snapshot().symbols().find(*holder.place);
  std::string text =
      symbol ? function_link(out, view, *symbol) : std::string("code of no known function");
  if (const auto place = own_location(view.sources(), *holder.place)) {
    text += " at " + place_link(out, view, *place);
  }
  return text;
}

void write_holders(MarkupWriter& out, const FileView& view,
                   const std::vector<LockHolder>& holders) {
  if (holders.empty()) return;
  std::string text;
  const std::size_t shown = std::min(holders.size(), most_holders_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const LockHolder& holder = holders[i];
    text += fmt::format("{}{} for {} ({})", i == 0 ? "" : ", ", holder_text(out, view, holder),
                        exact_time(holder.time), times_text(holder.times));
  }
  if (holders.size() > shown) {
    text += fmt::format(", and {} more places", holders.size() - shown);
  }
  out.composed_paragraph(fmt::format("Meanwhile the lock was held by {}.", text));
}

}  // namespace

bool shows_idle(const LoadedProgram& program) {
  return program.view && program.view->selection.with_idle;
}

WaitTimes shown_waits(const LoadedProgram& program, const WaitSummary& waits) {
  WaitTimes shown = waits.busy;
  if (shows_idle(program)) shown.add(waits.idle);
  return shown;
}

bool tells_waits(const LoadedProgram& program) {
  return program.snapshot->waits() != nullptr && program.snapshot->cost_metric().name == cpu_metric;
}

bool is_worth_telling(const LoadedProgram& program, const WaitSummary* waits, double threshold) {
  if (waits == nullptr || !tells_waits(program)) return false;
  const std::uint64_t time = shown_waits(program, *waits).all().time;
  if (threshold <= 0) return time > 0;
  return time >= least_time &&
         static_cast<double>(time) >= threshold * static_cast<double>(shown_in_program(program));
}

std::string lens_waits_text(const LoadedProgram& program, const WaitSummary* waits,
                            double threshold) {
  if (!is_worth_telling(program, waits, threshold)) return {};
  const WaitTimes shown = shown_waits(program, *waits);
  const std::uint64_t all = shown.all().time;
  const WaitKind kind = shown.greatest();
  const std::string text = fmt::format("waits {} ({}", short_time(all), wait_kind_name(kind));
  if (is_of_one_kind(shown)) return text + ")";
  const std::uint64_t part = shown.kinds[place_of(kind)].time;
  const bool same_unit = &unit_of(part) == &unit_of(all);
  return fmt::format("{} {})", text, same_unit ? number_in(unit_of(part), part) : short_time(part));
}

std::string line_waits_text(const LoadedProgram& program, const LineCost& line, ShownMetric metric,
                            double threshold) {
  const WaitSummary* waits = metric == ShownMetric::self ? line.own_waits.get() : line.waits.get();
  if (!is_worth_telling(program, waits, threshold)) return {};
  const WaitTimes shown = shown_on_line(program, *waits);
  const WaitKind kind = shown.greatest();
  const bool named = is_of_one_kind(shown) && kind != WaitKind::other;
  return fmt::format("{} {}", short_time(shown.all().time),
                     named ? wait_kind_name(kind) : wait_metric);
}

void write_waits(MarkupWriter& out, const FileView& view, const WaitSummary* waits,
                 const WaitSummary* own) {
  if (waits == nullptr) return;
  static const WaitSummary none;
  const WaitSummary& here = own != nullptr ? *own : none;
  const WaitTimes shown = shown_waits(view.program, *waits);
  if (shown.all().time != 0) out.paragraph(waits_text(shown_waits(view.program, here), shown));
  write_holders(out, view, waits->holders);
  if (waits->idle_threads == 0) return;
  const std::uint64_t idle = waits->idle.all().time;
  out.paragraph(
      fmt::format("idle: {} thread{} {} for {}{}.", exact_count(waits->idle_threads),
                  waits->idle_threads == 1 ? " waits" : "s wait",
                  place_of_waits(here.idle.all().time, idle), exact_time(idle),
                  shows_idle(view.program) ? ", which is shown as well" : "; gprof.idle shows it"));
}

}  // namespace gprof::lsp
