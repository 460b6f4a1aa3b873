#include "server/features/other_samples.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/external_names.h"
#include "server/text/source_names.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

// Below the rounding error of sums of fractional ticks.
constexpr Ticks least_ticks = 1e-6;

class OtherRows {
 public:
  explicit OtherRows(const Snapshot& snapshot, const Comparison* comparison = nullptr)
      : snapshot_(snapshot), comparison_(comparison) {}

  void add(std::string name, OtherCode kind, Ticks ticks);
  // One row a function, or a library where none is known.
  void add_functions(bool demangle);
  void add_modules();
  void add_difference(OtherSamples& row, const ExternalCode& code) const;
  std::vector<OtherSamples> take();

 private:
  [[nodiscard]] const FunctionCosts& profile() const { return snapshot_.profile(); }

  const Snapshot& snapshot_;
  const Comparison* comparison_;  // null: nothing is compared
  std::vector<OtherSamples> rows_;
};

void OtherRows::add(std::string name, OtherCode kind, Ticks ticks) {
  if (!(ticks > least_ticks)) return;
  OtherSamples row;
  row.name = well_formed(std::move(name));
  row.kind = kind;
  row.seconds = profile().seconds(ticks);
  row.error = profile().seconds(profile().error_in_all_code(ticks));
  if (row.kind != OtherCode::collector) row.percent = 100 * share_of(profile(), ticks);
  rows_.push_back(std::move(row));
}

OtherCode kind_of(const ModuleSamples& module) {
  return module.collector ? OtherCode::collector : OtherCode::module;
}

void OtherRows::add_functions(bool demangle) {
  const MeasuredTimes& measured = snapshot_.measured();
  for (const ModuleSamples& module : profile().elsewhere()) {
    if (module.name.empty() || !(module.ticks > least_ticks)) continue;
    const ExternalCode code{module.name, module.function};
    add(as_written(external_name_with_module(code, demangle)), kind_of(module), module.ticks);
    OtherSamples& row = rows_.back();
    row.module = well_formed(module.name);
    add_difference(row, code);
    if (code.function.empty()) continue;
    row.function = well_formed(as_written(external_code_name(code, demangle)));
    if (!measured.known()) continue;
    // A sample may have been counted without its stack.
    const auto number = snapshot_.stacks().find(code);
    const Ticks total = std::max(number ? measured.external_total(*number) : 0, module.ticks);
    row.total_seconds = profile().seconds(total);
    row.total_error = profile().seconds(profile().error_in_all_code(total));
  }
}

void OtherRows::add_difference(OtherSamples& row, const ExternalCode& code) const {
  if (comparison_ == nullptr || !comparison_->has_times()) return;
  const ComparedExternal* compared = comparison_->find_external(code);
  if (compared != nullptr) row.difference = difference_data(compared->self);
}

void OtherRows::add_modules() {
  std::map<std::string, Ticks> sums;
  for (const ModuleSamples& module : profile().elsewhere()) sums[module.name] += module.ticks;
  for (const ModuleSamples& module : profile().elsewhere()) {
    const auto sum = sums.find(module.name);
    if (module.name.empty() || sum == sums.end()) continue;
    add(fmt::format("[{}]", module.name), kind_of(module), sum->second);
    sums.erase(sum);
  }
}

std::vector<OtherSamples> OtherRows::take() {
  Ticks unknown = profile().unattributed_ticks() + profile().rounding_ticks();
  for (const ModuleSamples& module : profile().elsewhere()) {
    if (module.name.empty()) unknown += module.ticks;
  }
  add("[collector]", OtherCode::collector, profile().profiler_ticks());
  add("[unknown]", OtherCode::unknown, unknown);
  std::stable_sort(rows_.begin(), rows_.end(), [](const OtherSamples& a, const OtherSamples& b) {
    return a.seconds > b.seconds;
  });
  return std::move(rows_);
}

}  // namespace

std::vector<OtherSamples> other_samples(const Snapshot& snapshot, bool demangle,
                                        const Comparison* comparison) {
  OtherRows rows(snapshot, comparison);
  rows.add_functions(demangle);
  return rows.take();
}

std::vector<OtherSamples> other_samples_by_module(const Snapshot& snapshot) {
  OtherRows rows(snapshot);
  rows.add_modules();
  return rows.take();
}

std::string program_time_text(const FunctionCosts& profile) {
  std::string text = time_text(profile, profile.program_ticks());
  if (profile.collector_ticks() >= 1) {
    text += fmt::format(", without {} in the collector itself",
                        time_text(profile, profile.collector_ticks()));
  }
  return text;
}

}  // namespace gprof::lsp
