// How far off sampled times are: one standard deviation of n samples out of N taken.
//
// Samples are a Poisson process: n of them have variance n. Weights and the kernel's tick add to
// it, as stated by the sidecar (docs/gmon-format.md, section "How good samples are"). Weights arise
// around system calls, so the program's own samples may have fewer: errors are for its own code
// unless of_all_code() was used. Without any data from a run, errors are √n; the data of several
// runs adds up. Costs that were counted have no error. Where a part of the costs was sampled and
// the rest was counted, any of them may be of that part, as far as it goes. Times that a clock gave
// have no error either, but another run takes another time: comparisons of runs ask for that.
//
// Units: ticks. Thread contract: a value type.
#pragma once

#include "engine/gmon/sidecar.h"
#include "engine/support/units.h"

namespace gprof {

class SampleErrors {
 public:
  // √n of n samples.
  SampleErrors() = default;
  // For costs that were counted, not sampled.
  [[nodiscard]] static SampleErrors none();
  // For costs of which a part was sampled: so many ticks, each sample standing for several.
  [[nodiscard]] static SampleErrors of_part(double ticks_per_sample, Ticks sampled);

  // The same, of costs of which some or all were taken from a clock.
  [[nodiscard]] SampleErrors of_clock() const;

  // The samples in the profile's own code.
  struct OwnSamples {
    Ticks samples = 0;
    double excess_variance = 0;

    friend bool operator==(const OwnSamples&, const OwnSamples&) = default;
  };

  // A run with that many samples, in any code.
  void add(Ticks samples, const SamplingQuality& quality, const OwnSamples& own);
  // A run for which it is unknown which samples are heavier.
  void add(Ticks samples, const SamplingQuality& quality = {});

  // The errors of times that include samples in other code, such as those of stacks.
  [[nodiscard]] SampleErrors of_all_code() const;

  // One standard deviation of a time of `samples`.
  [[nodiscard]] Ticks error_of(Ticks samples) const;
  // The part of its square due to chance, and the part due to the kernel's tick, which does not
  // shrink with more samples.
  [[nodiscard]] double random_variance_of(Ticks samples) const;
  [[nodiscard]] double tick_variance_of(Ticks samples) const;
  // Upper bound on the random variance of n samples, as a multiple of n.
  [[nodiscard]] double dispersion() const;
  // Code without samples took less than this, with 95 % probability (the rule of three), including
  // what the tick may have given to others.
  [[nodiscard]] Ticks most_without_sample() const;
  // The share of all samples whose places the tick may have determined.
  [[nodiscard]] double tick_share() const;
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] bool by_clock() const { return by_clock_; }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.number(self.samples_);
    stream.number(self.excess_variance_);
    stream.number(self.own_.samples);
    stream.number(self.own_.excess_variance);
    stream.number(self.tick_samples_);
    stream.number(self.exact_);
    stream.number(self.by_clock_);
    stream.number(self.ticks_per_sample_);
  }

  friend bool operator==(const SampleErrors&, const SampleErrors&) = default;

 private:
  // As a part of all samples.
  [[nodiscard]] double share_of(Ticks samples) const;

  Ticks samples_ = 0;
  double excess_variance_ = 0;
  OwnSamples own_;
  Ticks tick_samples_ = 0;
  bool exact_ = false;
  bool by_clock_ = false;
  double ticks_per_sample_ = 0;  // 0: every tick is one
};

}  // namespace gprof
