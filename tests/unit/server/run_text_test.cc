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

TEST_CASE("missing and inferred callers are told beyond a twentieth of the stacks") {
  const gprof::StackFrame frames[] = {{}};
  gprof::StackSamples stacks;
  stacks.add_stack(95, false, frames);
  stacks.add_stack(5, true, frames);
  CHECK(stacks_text(stacks).empty());
  stacks.add_stack(20, true, frames);
  CHECK(stacks_text(stacks) ==
        "21 % of the stacks are truncated: the totals of their outer callers lack that time.");
  stacks.add_stack(80, false, frames, true);
  CHECK(
      stacks_text(stacks) ==
      "12 % of the stacks are truncated: the totals of their outer callers lack that time. 40 % of "
      "the stacks go through code without call frame information: its callers are inferred.");
  CHECK(stacks_text(gprof::StackSamples()).empty());
}
