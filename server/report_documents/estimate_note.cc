#include "server/report_documents/estimate_note.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "engine/snapshot_view.h"
#include "server/features/cost_text.h"
#include "server/features/shown_name.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr double deviations = 3;
constexpr double least_share = 0.01;  // of the program's time

// The functions whose totals differ.
struct Differences {
  std::size_t count = 0;
  SymbolIndex largest = no_symbol;
  Ticks measured = 0;
  Ticks estimated = 0;

  void add(SymbolIndex symbol, Ticks measured_total, Ticks estimated_total) {
    ++count;
    if (std::abs(measured_total - estimated_total) <= std::abs(measured - estimated)) return;
    largest = symbol;
    measured = measured_total;
    estimated = estimated_total;
  }
};

Differences differences_in(const Snapshot& snapshot) {
  Differences found;
  const FunctionCosts& profile = snapshot.profile();
  for (SymbolIndex symbol = 0; symbol < snapshot.symbols().size(); ++symbol) {
    const Ticks measured = snapshot.graph().node(symbol).total();
    const Ticks estimated = snapshot.estimated_graph().node(symbol).total();
    const Ticks noise = deviations * profile.error_in_all_code(std::max(measured, estimated));
    const Ticks least = std::max(noise, least_share * profile.program_ticks());
    if (std::abs(measured - estimated) > least) found.add(symbol, measured, estimated);
  }
  return found;
}

}  // namespace

std::string estimate_note(const LoadedProgram& program, bool demangle) {
  // gprof's figures are of the whole profile.
  const auto whole = whole_of(program.snapshot);
  if (!whole->measured().has_stacks()) return {};
  const Differences differences = differences_in(*whole);
  if (differences.count == 0) return {};
  const FunctionCosts& profile = whole->profile();
  const TimeUnit unit = unit_of(profile, {differences.measured, differences.estimated});
  const std::string name = demangle ? shown_name(whole->sources(), differences.largest).name
                                    : std::string(whole->symbols()[differences.largest].name);
  const std::string functions =
      differences.count == 1 ? name
                             : fmt::format("{} functions, most of all {}", differences.count, name);
  return fmt::format(
      "Times of callees are gprof's estimates from call counts. The sampled stacks disagree about "
      "{}: {} measured, {} estimated.\n\n",
      functions, time_text(profile, differences.measured, unit),
      time_text(profile, differences.estimated, unit));
}

}  // namespace gprof::lsp
