// By how much sampled times are off: one standard deviation of n samples of the N that were taken.
//
// Samples are a Poisson process: n of them have the variance n. Weights and the kernel's tick add
// to that what the sidecar tells (docs/gmon-format.md, section "How good samples are"). Weights are
// the kernel's part, so that they may be others than the program's own samples: errors are those of
// its own code unless of_all_code() was asked for. Of a run that tells nothing the errors are √n;
// of several runs all that they tell is added up. Costs that were counted have no error.
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
  // Of costs that were counted, not sampled.
  [[nodiscard]] static SampleErrors none();

  // Of the samples in the code that the profile is of.
  struct OwnSamples {
    Ticks samples = 0;
    double excess_variance = 0;

    friend bool operator==(const OwnSamples&, const OwnSamples&) = default;
  };

  // A run with so many samples, in whatever code.
  void add(Ticks samples, const SamplingQuality& quality, const OwnSamples& own);
  // One of whose samples it is not known which are heavier.
  void add(Ticks samples, const SamplingQuality& quality = {});

  // The errors of times that hold samples in other code as well, as those of stacks do.
  [[nodiscard]] SampleErrors of_all_code() const;

  // One standard deviation of a time of `samples`.
  [[nodiscard]] Ticks error_of(Ticks samples) const;
  // The part of its square that comes of chance, and the part that comes of the kernel's tick: the
  // latter does not get smaller by more samples.
  [[nodiscard]] double random_variance_of(Ticks samples) const;
  [[nodiscard]] double tick_variance_of(Ticks samples) const;
  // How many times as much as n the random variance of n samples is at most.
  [[nodiscard]] double dispersion() const;
  // What has no sample took less than this, with a probability of 95 % (the rule of three); and
  // whatever the tick may have given to others.
  [[nodiscard]] Ticks most_without_sample() const;
  // The part of all samples whose places may be the tick's.
  [[nodiscard]] double tick_share() const;
  [[nodiscard]] bool exact() const { return exact_; }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.number(self.samples_);
    stream.number(self.excess_variance_);
    stream.number(self.own_.samples);
    stream.number(self.own_.excess_variance);
    stream.number(self.tick_samples_);
    stream.number(self.exact_);
  }

  friend bool operator==(const SampleErrors&, const SampleErrors&) = default;

 private:
  // Of all samples.
  [[nodiscard]] double share_of(Ticks samples) const;

  Ticks samples_ = 0;
  double excess_variance_ = 0;
  OwnSamples own_;
  Ticks tick_samples_ = 0;
  bool exact_ = false;
};

}  // namespace gprof
