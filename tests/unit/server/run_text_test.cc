// What is said about a run besides its figures.
#include "server/discovery/run_text.h"

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("times of a clock have two digits and more") {
  CHECK(clock_time(0) == "0.00 s");
  CHECK(clock_time(0.001) == "<0.01 s");
  CHECK(clock_time(0.09) == "0.09 s");
  CHECK(clock_time(3.94) == "3.9 s");
  CHECK(clock_time(124.6) == "125 s");
}
