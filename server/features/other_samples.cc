#include "server/features/other_samples.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

// Below the rounding error of sums of fractional ticks.
constexpr Ticks least_ticks = 1e-6;

void add(std::vector<OtherSamples>& others, const Profile& profile, std::string name,
         OtherCode kind, Ticks ticks) {
  if (!(ticks > least_ticks)) return;
  OtherSamples other;
  other.name = well_formed(std::move(name));
  other.kind = kind;
  other.seconds = profile.seconds(ticks);
  other.error = profile.seconds(profile.error_in_all_code(ticks));
  if (other.kind != OtherCode::collector) other.percent = 100 * share_of(profile, ticks);
  others.push_back(std::move(other));
}

}  // namespace

std::vector<OtherSamples> other_samples(const Profile& profile) {
  std::vector<OtherSamples> others;
  Ticks unknown = profile.unattributed_ticks() + profile.rounding_ticks();
  for (const ModuleSamples& module : profile.elsewhere()) {
    if (module.name.empty()) {
      unknown += module.ticks;
      continue;
    }
    add(others, profile, fmt::format("[{}]", module.name),
        module.collector ? OtherCode::collector : OtherCode::module, module.ticks);
  }
  add(others, profile, "[collector]", OtherCode::collector, profile.profiler_ticks());
  add(others, profile, "[unknown]", OtherCode::unknown, unknown);
  std::stable_sort(others.begin(), others.end(), [](const OtherSamples& a, const OtherSamples& b) {
    return a.seconds > b.seconds;
  });
  return others;
}

std::string program_time_text(const Profile& profile) {
  std::string text = time_text(profile, profile.program_ticks());
  if (profile.collector_ticks() >= 1) {
    text += fmt::format(", without {} in the collector itself",
                        time_text(profile, profile.collector_ticks()));
  }
  return text;
}

}  // namespace gprof::lsp
