#include "engine/analysis/samples.h"

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("a bin is shared out in proportion to the bytes") {
  const Samples samples({Histogram{{0x1000}, {0x1020}, {8, 0, 4, 0}}});
  CHECK(samples.total() == 12);
  CHECK(samples.bins().size() == 2);
  CHECK(samples.in({{0x1000}, {0x1008}}) == Approx(8));
  CHECK(samples.in({{0x1000}, {0x1002}}) == Approx(2));
  CHECK(samples.in({{0x1006}, {0x1012}}) == Approx(2 + 1));
  CHECK(samples.in({{0}, {0x9000}}) == Approx(12));
  CHECK(samples.in({{0x1008}, {0x1010}}) == 0);
  CHECK(samples.in({{0x1008}, {0x1000}}) == 0);
}

TEST_CASE("disjoint histograms are one address space") {
  const Samples samples(
      {Histogram{{0x2000}, {0x2008}, {1, 2}}, Histogram{{0x1000}, {0x1008}, {3, 4}}});
  CHECK(samples.total() == 10);
  CHECK(samples.in({{0x1004}, {0x2004}}) == Approx(4 + 1));
}

TEST_CASE("samples of histograms that cover nothing count but belong to nothing") {
  for (const Address high : {Address{0x1000}, Address{0x1001}}) {
    const Samples samples({Histogram{{0x1000}, high, {5}}});
    CHECK(samples.total() == 5);
    CHECK(samples.in({{0}, {0x2000}}) == 0);
  }
  CHECK(Samples({Histogram{{0x1000}, {0x2000}, {}}}).total() == 0);
  // More bins than units: a bin narrower than two bytes covers no unit or one.
  const Samples fine({Histogram{{0x1000}, {0x1008}, {1, 1, 1, 1, 1, 1, 1, 1}}});
  CHECK(fine.total() == 8);
  CHECK(fine.in({{0x1000}, {0x1008}}) == Approx(8));
}
