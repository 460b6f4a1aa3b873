#include "engine/analysis/stack_samples.h"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

// A program without symbols: modules distinguish frames.
StackSamples samples_of(std::vector<ModuleAddress> frames) {
  Sidecar sidecar;
  sidecar.modules.resize(3);
  sidecar.modules[1].path = "/lib/one.so";
  sidecar.modules[2].path = "/lib/two.so";
  sidecar.stacks = {{5, false, std::move(frames)}};
  StackSamples samples;
  samples.add(sidecar, {true, false, false}, SymbolTable());
  return samples;
}

}  // namespace

TEST_CASE("stack samples: a repetition is unfolded a few times, whatever the file says") {
  for (const std::uint64_t repetitions :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 60U, ~std::uint64_t{0}}) {
    CAPTURE(repetitions);
    const StackSamples samples = samples_of({{1, {0x10}},
                                             {1, {0x20}},
                                             {2, {0x30}},
                                             {stack_marks::repeat + 2, {repetitions}},
                                             {1, {0x40}}});
    REQUIRE(samples.size() == 1);
    const auto frames = samples[0].frames;
    REQUIRE(frames.size() == 4 + 2 * std::min<std::uint64_t>(repetitions, 8));
    CHECK(frames[3].place == frames[1].place);
    CHECK(frames[4].module == frames[2].module);
    CHECK(frames.back().place == Address{0x3f});
    CHECK_FALSE(samples[0].incomplete);
  }
}

TEST_CASE("stack samples: what is left out is a frame of its own kind") {
  const StackSamples samples =
      samples_of({{1, {0x10}}, {stack_marks::left_out, {1'000'000}}, {2, {0x30}}});
  REQUIRE(samples.size() == 1);
  REQUIRE(samples[0].frames.size() == 3);
  CHECK(samples[0].frames[1].module == StackFrame::left_out);
  CHECK(samples[0].frames[1].symbol == no_symbol);
  CHECK(samples[0].incomplete);
  CHECK_FALSE(samples[0].truncated);
}

TEST_CASE("stack samples: stacks with inferred callers are counted") {
  Sidecar sidecar;
  sidecar.modules.resize(1);
  sidecar.stacks = {{5, false, {{0, {0x10}}, {0, {0x20}}}, 1}, {3, false, {{0, {0x10}}}}};
  StackSamples samples;
  samples.add(sidecar, {true}, SymbolTable());
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].inferred);
  CHECK_FALSE(samples[1].inferred);
  CHECK(samples.inferred() == 5);
  const Ticks counts[] = {2, 3};
  CHECK(samples.recounted(counts, 0).inferred() == 2);
}
