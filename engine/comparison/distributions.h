// How likely a difference of this size is where there is none.
//
// Student's t distribution by the incomplete beta function (Abramowitz and Stegun, "Handbook of
// Mathematical Functions", 26.7.1 and 26.5.8), the normal one by erfc().
// Thread contract: pure functions.
#pragma once

#include <limits>

namespace gprof {

// Of a variance that is known, not estimated.
inline constexpr double many_degrees_of_freedom = std::numeric_limits<double>::infinity();

// The probability that a variable of Student's distribution lies farther from 0 than `t`, on either
// side. With many_degrees_of_freedom: of the normal distribution. 1 where `t` is no number.
[[nodiscard]] double two_sided_probability(double t, double degrees_of_freedom);

}  // namespace gprof
