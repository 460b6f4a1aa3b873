// Drift: what the functions have in common between two sides, the weighted median g of the ratios
// of their times. The machine may have been slower, or the whole build: no profile can tell.
//
// - Weights: 1 / (1 / n_old + 1 / n_new + 0.05²), n in ticks, or in as many as would have that
//   relative error from samples alone: no ratio counts as known to better than 5 %, so that a large
//   function does not outvote all others.
// - The error of g is that of a weighted median of normal variables,
//   √(π/2 · Σ w²) / Σ (w / σ), where σ² = 1 / n_old + 1 / n_new + f². The ratios differ by f even
//   with any number of samples: by 5 % if it is not known how much runs vary, otherwise by that and
//   by 2 %, as one build's code is placed otherwise than the other's.
// - Of several medians, the one nearest to 1.
// - There is none if the weights add up to less than 150: its error would be above 10 %.
//
// A function is compared with the drift of the others only, so that a large one does not excuse
// itself.
//
// Units: seconds (ticks by the rate). Thread contract: pure functions; values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/comparison/mean_time.h"

namespace gprof {

// The factor by which everything took longer, or less long.
struct Drift {
  double ratio = 1;
  double error = 0;
  bool known = false;
  double lasting_error = 0;  // what the error would be with any number of samples

  // The part of ratio − 1 that its error does not explain; 0 if it is that many errors or fewer.
  [[nodiscard]] double beyond_error(double errors) const;
};

// The relative difference f if it is not known how much runs vary.
inline constexpr double unknown_difference = 0.05;
// With runs that vary by `variation` of their mean, one standard deviation: so many on each side.
[[nodiscard]] double difference_of_ratios(double variation, std::size_t runs_before,
                                          std::size_t runs_after);

// The ratio that times have in common, overall and without each of them.
class CommonDrift {
 public:
  // Pairs of the same figure on both sides, one entry each. Those left out, by their place, are no
  // evidence. Ratios differ by `difference`, called f above.
  CommonDrift(std::span<const MeanTime> before, std::span<const MeanTime> after,
              const std::vector<bool>& left_out = {}, double difference = unknown_difference);

  // A ratio of 1.04 if everything takes 4 % longer; 1 if there is too little evidence.
  [[nodiscard]] Drift of_all() const;
  // From the other figures only.
  [[nodiscard]] Drift without(std::size_t figure) const;

 private:
  struct Ratio {
    double ratio = 1;
    double weight = 0;
    double weight_by_error = 0;  // w / σ
  };
  [[nodiscard]] Drift median(const Ratio& excluded, std::size_t excluded_place) const;

  double difference_ = 0;
  std::vector<Ratio> ratios_;         // ascending
  std::vector<double> weight_up_to_;  // cumulative, inclusive
  std::vector<std::size_t> place_;    // of a figure; no_place if it is no evidence
  double squared_weights_ = 0;
  double weights_by_error_ = 0;
};

}  // namespace gprof
