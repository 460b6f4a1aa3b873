// How much times vary from run to run beyond their samples, pooled over the functions of a program.
//
// A few runs estimate the variance of one function badly, but all functions together show what is
// usual in the program. So each variance is shrunk towards the common one, as Smyth does for genes
// ("Linear models and empirical Bayes methods for assessing differential expression in microarray
// experiments", Statistical Applications in Genetics and Molecular Biology 3(1), 2004). There the
// prior of a gene's variance, and its estimate from the sample variance s² with d degrees of
// freedom, are
//   1 / σ² ~ χ²(d0) / (d0 · s0²)      and      (d0 · s0² + d · s²) / (d0 + d),
// which makes Student's t a moderated one, with d0 + d degrees of freedom.
//
// Here a part of the variance is known: v, that of the samples. For a function with the mean m, one
// run has the variance
//   σ² = v + c² · m²      with      1 / c² ~ χ²(d0) / (d0 · c0²),
// and on each side s² ~ σ² · χ²(d) / d. No function counts as steadier than its samples. With
// v = 0 this is Smyth's model; otherwise the posterior of c has no closed form and is summed up on
// a grid. Both sides share c: both are runs of one program, on one machine.
//
// d0 and c0 have weights by how likely they make the sample variances of all functions, times a
// weak prior: half for no variation at all, half for a c0 of 3 %, give or take a factor of 2.5, and
// 6, 14, 25, 30 and 25 % for a d0 of 1, 2, 4, 8 and infinity. Plugging in only the most likely pair
// has more false alarms where there are few functions or runs.
//
// Units: seconds; variation is relative. Thread contract: pure functions; values.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/comparison/mean_time.h"

namespace gprof {

// One possible variation of a function's runs.
struct PossibleVariation {
  double relative = 0;  // c: one standard deviation of one run, as a part of the mean
  double weight = 0;    // of all possible ones: 1
};

class RunVariation {
 public:
  // Unknown: one run a side.
  RunVariation() = default;
  // From figures that have no sample in common, one entry each. Those with fewer than five ticks a
  // run are no evidence.
  RunVariation(std::span<const MeanTime> before, std::span<const MeanTime> after);

  [[nodiscard]] bool known() const { return known_; }
  // c0, averaged over the weights; 0 if unknown.
  [[nodiscard]] double typical() const { return typical_; }
  // The possible variations of one figure, ascending, without those of negligible weight. Only 0 if
  // the variation is unknown.
  [[nodiscard]] std::vector<PossibleVariation> of(const MeanTime& before,
                                                  const MeanTime& after) const;

 private:
  // 0, then from 0.3 % to 2 in steps of 30 %.
  static constexpr std::size_t steps = 26;
  using Grid = std::array<double, steps>;
  [[nodiscard]] static Grid variations();
  [[nodiscard]] static Grid prior(double common, double freedom);
  [[nodiscard]] static Grid log_likelihoods(const MeanTime& before, const MeanTime& after);

  bool known_ = false;
  double typical_ = 0;
  Grid prior_{};  // of the next function's c, over all d0 and c0
};

}  // namespace gprof
