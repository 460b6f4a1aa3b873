// The probability of a difference of a given size if there is none.
//
// Student's t distribution by the incomplete beta function (Abramowitz and Stegun, "Handbook of
// Mathematical Functions", 26.7.1 and 26.5.8), the normal one by erfc().
// Thread contract: pure functions.
#pragma once

#include <limits>

namespace gprof {

// For a variance that is known, not estimated.
inline constexpr double many_degrees_of_freedom = std::numeric_limits<double>::infinity();

// The probability that a variable with Student's distribution is farther from 0 than `t` on either
// side. With many_degrees_of_freedom: with the normal distribution. 1 if `t` is NaN.
[[nodiscard]] double two_sided_probability(double t, double degrees_of_freedom);

// How many standard deviations a variable with the normal distribution is from 0 on either side
// with that probability, which is above 0: 1.96 for 5 %. 0 for 1 and more.
[[nodiscard]] double normal_quantile(double two_sided_probability);

}  // namespace gprof
