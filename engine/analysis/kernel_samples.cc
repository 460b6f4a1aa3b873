#include "engine/analysis/kernel_samples.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/samples.h"

namespace gprof {

void KernelSamples::add(const Sidecar& sidecar, const std::vector<bool>& own_modules) {
  if ((sidecar.process.flags & process_flags::marks_kernel_time) == 0) return add_unknown();
  if (!known_) return;
  // With perf's clock, only kernel samples come in groups; with ticks alone, all samples do.
  const bool all_in_kernel = sidecar.process.sample_source == SampleSource::perf_clock;
  for (const SidecarSample& sample : sidecar.samples) {
    const auto& [module, address] = sample.place;
    if (sample.count == 0 || module >= own_modules.size() || !own_modules[module]) continue;
    const auto all = static_cast<Ticks>(sample.count);
    const auto kernel = static_cast<Ticks>(sample.kernel_count);
    const auto excess = static_cast<double>(sample.excess_variance);
    const bool in_kernel = all_in_kernel && kernel > 0;
    const double kernel_excess = in_kernel ? excess : excess * kernel / all;
    kernel_.add(kernel, kernel_excess);
    others_.add(all - kernel, excess - kernel_excess);
    if (kernel > 0) units_[address.value / bytes_per_unit] += kernel;
  }
}

void KernelSamples::add_unknown() {
  *this = KernelSamples();
  known_ = false;
}

Ticks KernelSamples::in(AddressRange range) const {
  if (range.empty()) return 0;
  Ticks ticks = 0;
  const std::uint64_t end = range.high.value / bytes_per_unit;
  for (auto unit = units_.lower_bound(range.low.value / bytes_per_unit);
       unit != units_.end() && unit->first < end; ++unit) {
    ticks += unit->second;
  }
  return ticks;
}

Ticks KernelSamples::error_of(Ticks kernel) const {
  return std::sqrt(kernel_.variance_of(std::max(kernel, 0.0)));
}

// The variance of the share k / (k + u) of k kernel samples and u other samples, which are
// independent, to first order (delta method): (u² var(k) + k² var(u)) / (k + u)⁴.
double KernelSamples::share_error(Ticks kernel, Ticks all) const {
  if (!(kernel > 0) || !(all > kernel)) return 0;
  const Ticks others = all - kernel;
  const double variance =
      others * others * kernel_.variance_of(kernel) + kernel * kernel * others_.variance_of(others);
  return std::sqrt(variance) / (all * all);
}

}  // namespace gprof
