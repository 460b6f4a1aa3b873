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

bool has_estimates(const LoadedProgram& program, const ReportAddress& address) {
  if (address.page != ReportPage::call_graph && address.page != ReportPage::everything)
    return false;
  const auto request = report_request(address, program, false);
  return request && !request->accurate;
}

}  // namespace

std::string estimate_note(const LoadedProgram& program, const ReportAddress& address,
                          bool demangle) {
  // gprof's figures are of the whole profile.
  const auto whole = whole_of(program.snapshot);
  if (!whole->measured().has_stacks() || !has_estimates(program, address)) return {};
  const Differences differences = differences_in(*whole);
  if (differences.count == 0) return {};
  const FunctionCosts& profile = whole->profile();
  const TimeUnit unit = unit_of(profile, {differences.measured, differences.estimated});
  const std::string name = demangle ? shown_name(whole->sources(), differences.largest).name
                                    : std::string(whole->symbols()[differences.largest].name);
  const std::string where = differences.count == 1 ? "for " + name
                                                   : fmt::format("for {} functions, most for {}",
                                                                 differences.count, name);
  return fmt::format(
      "Times with callees are gprof's estimate, by numbers of calls. Stacks say otherwise {}: {} "
      "measured, {} estimated.\n\n",
      where, time_text(profile, differences.measured, unit),
      time_text(profile, differences.estimated, unit));
}

}  // namespace gprof::lsp
