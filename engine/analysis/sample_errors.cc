#include "engine/analysis/sample_errors.h"

#include <algorithm>
#include <cmath>

namespace gprof {
namespace {

// e^-3 is 5 %: the probability of no samples if three are expected.
constexpr Ticks rule_of_three = 3;

}  // namespace

SampleErrors SampleErrors::none() {
  SampleErrors errors;
  errors.exact_ = true;
  return errors;
}

SampleErrors SampleErrors::of_part(double ticks_per_sample, Ticks sampled) {
  SampleErrors errors;
  errors.ticks_per_sample_ = ticks_per_sample;
  errors.samples_ = sampled;
  return errors;
}

SampleErrors SampleErrors::of_clock() const {
  SampleErrors errors = *this;
  errors.by_clock_ = true;
  return errors;
}

void SampleErrors::add(Ticks samples, const SamplingQuality& quality) {
  add(samples, quality, {samples, static_cast<double>(quality.excess_variance)});
}

void SampleErrors::add(Ticks samples, const SamplingQuality& quality, const OwnSamples& own) {
  own_.samples += std::max(own.samples, 0.0);
  own_.excess_variance += own.excess_variance;
  samples_ += std::max(samples, 0.0);
  excess_variance_ += static_cast<double>(quality.excess_variance);
  tick_samples_ += static_cast<Ticks>(quality.tick_samples);
}

SampleErrors SampleErrors::of_all_code() const {
  SampleErrors errors = *this;
  errors.own_ = {samples_, excess_variance_};
  return errors;
}

double SampleErrors::share_of(Ticks samples) const {
  return samples_ > 0 ? std::clamp(samples / samples_, 0.0, 1.0) : 0;
}

double SampleErrors::random_variance_of(Ticks samples) const {
  if (exact_ || !(samples > 0)) return 0;
  if (ticks_per_sample_ > 0) return std::min(samples, samples_) * ticks_per_sample_;
  return samples * (1 + (dispersion() - 1) * (1 - share_of(samples)));
}

double SampleErrors::tick_variance_of(Ticks samples) const {
  if (exact_ || !(tick_samples_ > 0)) return 0;
  const double share = share_of(samples);
  const Ticks off = tick_samples_ * std::max(share, 1 - share);
  return off * off;
}

Ticks SampleErrors::error_of(Ticks samples) const {
  return std::sqrt(random_variance_of(samples) + tick_variance_of(samples));
}

double SampleErrors::dispersion() const {
  if (ticks_per_sample_ > 0) return ticks_per_sample_;
  if (exact_ || !(samples_ > 0)) return 1;
  return own_.samples > 0 ? 1 + own_.excess_variance / own_.samples
                          : 1 + excess_variance_ / samples_;
}

Ticks SampleErrors::most_without_sample() const {
  return exact_ ? 0 : rule_of_three * dispersion() + tick_samples_;
}

double SampleErrors::tick_share() const {
  return tick_samples_ > 0 ? tick_samples_ / std::max(tick_samples_, samples_) : 0;
}

}  // namespace gprof
