#include "server/features/collector_cost.h"

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

// Call overhead of glibc's collector, in seconds: measured on x86-64 with an empty function. A
// profile of a statically linked program holds the collector's own samples: there the overhead is
// measured in the profile itself. `gprof-lsp record` measures it on the spot.
constexpr Seconds glibc_price_per_call = 7e-9;

// Above this share of a function's self time, the collector's cost is worth mentioning.
constexpr double notable_collector_share = 0.2;

}  // namespace

void write_collector_cost(MarkupWriter& out, const FileView& view, const FunctionCost& function) {
  const FunctionCosts& profile = view.profile();
  if (!has_times(profile) || profile.dimension() != "seconds") return;
  const auto calls = static_cast<double>(function.calls + function.recursive_calls);
  const auto counted_calls = static_cast<double>(profile.counted_calls());
  const auto recorded = view.snapshot().run_info().price_per_call();
  const bool in_profile = profile.profiler_ticks() > 0 && counted_calls > 0;
  const Seconds price = in_profile ? profile.seconds(profile.profiler_ticks()) / counted_calls
                                   : recorded.value_or(glibc_price_per_call);
  const Seconds cost = calls * price;
  if (cost < 1 / profile.ticks_per_second()) return;
  if (cost < notable_collector_share * profile.seconds(function.self)) return;
  out.paragraph(fmt::format(
      "Counting its calls cost about {} ({} calls at {:.1f} ns, {}): compare the self time of a "
      "function this small with care.",
      amount(cost, profile.seconds(1), unit_of(profile)),
      exact_count(function.calls + function.recursive_calls), price * 1e9,
      in_profile ? "measured in this profile"
      : recorded ? "measured when it was recorded"
                 : "an estimate for glibc's collector"));
}

}  // namespace gprof::lsp
