#include "engine/comparison/distributions.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("probabilities of Student's distribution agree with its tables") {
  // Two-sided quantiles, from textbook tables.
  struct Row {
    double t;
    double degrees_of_freedom;
    double probability;
  };
  const Row rows[] = {
      {12.706205, 1, 0.05}, {63.656741, 1, 0.01},  {4.302653, 2, 0.05},    {2.776445, 4, 0.05},
      {4.604095, 4, 0.01},  {2.306004, 8, 0.05},   {3.355387, 8, 0.01},    {5.041305, 8, 0.001},
      {2.042272, 30, 0.05}, {1.983972, 100, 0.05}, {1.962339, 1000, 0.05},
  };
  for (const Row& row : rows) {
    CAPTURE(row.t, row.degrees_of_freedom);
    CHECK(two_sided_probability(row.t, row.degrees_of_freedom) ==
          Approx(row.probability).epsilon(1e-5));
    CHECK(two_sided_probability(-row.t, row.degrees_of_freedom) ==
          Approx(row.probability).epsilon(1e-5));
  }
}

TEST_CASE("with closed forms where there are some") {
  // One degree of freedom: Cauchy; two: algebraic.
  for (const double t : {0.0, 0.1, 1.0, 3.0, 50.0}) {
    CAPTURE(t);
    CHECK(two_sided_probability(t, 1) == Approx(1 - 2 / M_PI * std::atan(t)).epsilon(1e-10));
    CHECK(two_sided_probability(t, 2) ==
          Approx(1 - t / std::sqrt(2 + t * t)).epsilon(1e-9).margin(1e-12));
  }
}

TEST_CASE("a known variance gives the normal distribution") {
  CHECK(two_sided_probability(1.959964, many_degrees_of_freedom) == Approx(0.05).epsilon(1e-6));
  CHECK(two_sided_probability(3.290527, many_degrees_of_freedom) == Approx(0.001).epsilon(1e-6));
  CHECK(two_sided_probability(2.5, 1e5) ==
        Approx(two_sided_probability(2.5, many_degrees_of_freedom)).epsilon(1e-3));
  CHECK(two_sided_probability(0, many_degrees_of_freedom) == 1);
}

TEST_CASE("nothing is made of what is no number") {
  CHECK(two_sided_probability(std::nan(""), 4) == 1);
  CHECK(two_sided_probability(std::numeric_limits<double>::infinity(), 4) == 0);
  CHECK(two_sided_probability(1, 0) == 1);
  CHECK(two_sided_probability(1, std::nan("")) == 1);
}
