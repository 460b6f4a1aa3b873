#include "engine/run_sum.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

// GNU gprof, and so a report, uses the first rate for all. `rate`: of the samples so far, or 0.
Expected<void> check_rate(const RawProfile& profile, std::uint32_t& rate, const std::string& path) {
  if (profile.rate == 0 || total_of(profile.histograms) <= 0) return {};
  if (rate == 0) rate = profile.rate;
  if (rate == profile.rate) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("samples at {} Hz expected, as before, and {} Hz found: times of both "
                           "cannot be added; record all runs at one rate (--rate)",
                           rate, profile.rate),
               path, std::nullopt};
}

}  // namespace

Expected<std::vector<std::uint32_t>> RunSum::add(ProfileFile& file, const std::string& path,
                                                 const ExternalFunctions& functions) {
  TRY(check_rate(file.raw, rate_, path));
  RecordedRuns& runs = summed_.runs;
  std::vector<std::uint32_t> numbers;
  const Ticks samples = total_of(file.raw.histograms);
  if (file.sidecar) {
    runs.run_info.add(*file.sidecar, file.own_modules, path, symbols_, runs.warnings);
    numbers = runs.stacks.add(*file.sidecar, file.own_modules, symbols_, functions);
    if (file.sidecar->stacks.empty()) runs.stacks.add_run_without(samples);
  } else {
    runs.run_info.add_unknown();
    runs.stacks.add_run_without(samples);
  }
  add_samples(file, functions);
  TRY(add_counts(file, path));
  return numbers;
}

Expected<void> RunSum::add_without_stacks(ProfileFile& file, const std::string& path,
                                          const ExternalFunctions& functions) {
  TRY(check_rate(file.raw, rate_, path));
  add_samples(file, functions);
  return add_counts(file, path);
}

void RunSum::add_samples(const ProfileFile& file, const ExternalFunctions& functions) {
  const Ticks samples = total_of(file.raw.histograms);
  if (file.sidecar) {
    summed_.samples.add(*file.sidecar, file.own_modules, samples, functions);
    return;
  }
  std::vector<ModuleSamples> elsewhere;
  for (const auto& [index, cost] : file.inclusive.external_costs) {
    const ExternalCode& code = (*file.inclusive.functions)[index];
    elsewhere.push_back({code.module, code.function, cost.self});
  }
  summed_.samples.add(samples, elsewhere);
}

Expected<void> RunSum::add_counts(ProfileFile& file, const std::string& path) {
  RecordedRuns& runs = summed_.runs;
  runs.paths.push_back(path);
  runs.modified = std::max(runs.modified, file.modified);
  summed_.has_versions = summed_.has_versions && !file.from_live_counters;
  summed_.from_c_library =
      summed_.from_c_library || (file.from_c_library && !file.raw.arcs.empty());
  all_inclusive_ = all_inclusive_ && !file.inclusive.empty();
  if (all_inclusive_) runs.inclusive.add(file.inclusive);
  if (runs_ == 1) {
    RawProfile header = header_of(file.raw);
    summed_.raw = std::exchange(file.raw, std::move(header));
    return {};
  }
  return sum_.add(file.raw, path);
}

SummedProfile RunSum::take() {
  if (runs_ != 1) summed_.raw = sum_.take();
  if (!all_inclusive_) summed_.runs.inclusive = {};
  if (const auto& functions = summed_.runs.inclusive.functions) {
    for (const ExternalCode& function : functions->codes()) {
      static_cast<void>(summed_.runs.stacks.number_of({function.module, function.function}));
    }
  }
  return std::move(summed_);
}

}  // namespace gprof
