#include "engine/comparison/distributions.h"

#include <cmath>

namespace gprof {
namespace {

// log of the complete beta function; without lgamma(), which writes a global.
double log_gamma(double x) {
  // Stirling's series (Abramowitz and Stegun 6.1.41), far enough out that four terms give every
  // digit.
  double shift = 0;
  for (; x < 12; x += 1) shift -= std::log(x);
  const double inverse = 1 / (x * x);
  const double series =
      (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse / 1680))) / x;
  constexpr double half_log_two_pi = 0.91893853320467274178;
  return shift + (x - 0.5) * std::log(x) - x + half_log_two_pi + series;
}

// The continued fraction of the incomplete beta function, by Lentz' method: converges quickly for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  constexpr double precision = 1e-14;
  constexpr int most_steps = 500;
  auto not_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= most_steps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < precision) break;
  }
  return fraction;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

double two_sided_probability(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0)) return 1;
  if (std::isinf(t)) return 0;
  // Beyond this the two agree to six digits, and the fraction is slow.
  constexpr double nearly_normal = 1e6;
  if (degrees_of_freedom > nearly_normal) return std::erfc(std::abs(t) / std::sqrt(2.0));
  return incomplete_beta(degrees_of_freedom / (degrees_of_freedom + t * t), degrees_of_freedom / 2,
                         0.5);
}

// By bisection: erfc() falls from 1 to below the smallest number at 40 standard deviations.
double normal_quantile(double two_sided_probability) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > two_sided_probability ? low : high) = middle;
  }
  return low;
}

}  // namespace gprof
