// Files added up in place, compared with those decoded first.
#include "engine/gmon/encoded_profile.h"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "engine/gmon/count_list.h"
#include "engine/gmon/sum.h"
#include "tests/support/test_seed.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

void check_same(const RawProfile& a, const RawProfile& b) {
  CHECK(a.format == b.format);
  CHECK(a.version == b.version);
  CHECK(a.rate == b.rate);
  CHECK(a.dimension == b.dimension);
  CHECK(a.arcs == b.arcs);
  CHECK(a.blocks == b.blocks);
  CHECK(a.histogram_records == b.histogram_records);
  CHECK(a.arc_records == b.arc_records);
  CHECK(a.block_records == b.block_records);
  REQUIRE(a.histograms.size() == b.histograms.size());
  for (std::size_t i = 0; i < a.histograms.size(); ++i) {
    CHECK(a.histograms[i].low == b.histograms[i].low);
    CHECK(a.histograms[i].high == b.histograms[i].high);
    CHECK(a.histograms[i].bins == b.histograms[i].bins);
  }
}

// A histogram with few samples, two more with other and equal ranges, arcs before and after them.
GmonDescription many_records(const GmonLayout& layout, unsigned seed) {
  std::mt19937 random(test_seed(seed));
  const auto bins = [&](std::size_t count) {
    std::vector<std::uint16_t> drawn(count);
    for (std::size_t i = 0; i < count / 20 + 1; ++i) {
      drawn[random() % count] = static_cast<std::uint16_t>(random());
    }
    return drawn;
  };
  GmonDescription description;
  description.layout = layout;
  description.histograms = {{0x8000, 0x8000 + 4 * 33, bins(33), 100, "seconds", 's', {}},
                            {0x1000, 0x1000 + 4 * 500, bins(500), 100, "seconds", 's', {}},
                            {0x8000, 0x8000 + 4 * 33, bins(33), 100, "seconds", 's', {}}};
  for (unsigned i = 0; i < 300; ++i) {
    if (random() % 8 != 0) description.arcs.push_back({0x1000 + 8 * i, 0x1000 + i % 7, 1 + i});
  }
  return description;
}

}  // namespace

TEST_CASE("a stored profile decodes to what was written, in every format and layout") {
  for (const GmonDescription& description : all_samples()) {
    const auto bytes = build_gmon(description);
    const auto stored = read_stored_gmon(bytes, "gmon.out", description.layout);
    REQUIRE(stored);
    ProfileSum of_stored;
    REQUIRE(of_stored.add(*stored, "gmon.out"));
    const auto decoded = read_gmon(bytes, "gmon.out", description.layout);
    REQUIRE(decoded);
    ProfileSum of_decoded;
    REQUIRE(of_decoded.add(*decoded, "gmon.out"));
    check_same(of_stored.take(), of_decoded.take());
  }
}

TEST_CASE("files with arcs that differ add up as their decoded profiles do, in the same order") {
  for (const GmonLayout& layout : all_layouts()) {
    ProfileSum of_stored;
    ProfileSum of_decoded;
    std::vector<RawArc> met;  // in order of first appearance
    for (unsigned seed = 0; seed < 10; ++seed) {
      const auto bytes = build_gmon(many_records(layout, seed));
      const auto stored = read_stored_gmon(bytes, "gmon.out", layout);
      const auto decoded = read_gmon(bytes, "gmon.out", layout);
      REQUIRE(stored);
      REQUIRE(decoded);
      CHECK(decoded->histograms.size() == 2);
      REQUIRE(of_stored.add(*stored, "gmon.out"));
      REQUIRE(of_decoded.add(*decoded, "gmon.out"));
      for (const RawArc& arc : decoded->arcs) {
        const auto known = std::find_if(met.begin(), met.end(),
                                        [&](const RawArc& other) { return same_key(arc, other); });
        if (known == met.end()) {
          met.push_back(arc);
        } else {
          known->count += arc.count;
        }
      }
    }
    const RawProfile sum = of_stored.take();
    CHECK(sum.arcs == met);
    check_same(sum, of_decoded.take());
  }
}

TEST_CASE("a file that does not fit leaves the sum as it was") {
  const GmonLayout layout = all_layouts().front();
  const auto bytes = build_gmon(many_records(layout, 1));
  const auto good = read_stored_gmon(bytes, "good", layout);
  REQUIRE(good);
  auto bad = *good;
  bad.histograms.front().range.high = bad.histograms.front().range.high + 4;
  ProfileSum sum;
  REQUIRE(sum.add(*good, "good"));
  CHECK_FALSE(sum.add(bad, "bad"));
  ProfileSum alone;
  REQUIRE(alone.add(*good, "good"));
  check_same(sum.take(), alone.take());
}

TEST_CASE("a list of counts stays right while it grows, and stops at the largest number") {
  CountList<BlockCount> list;
  for (std::uint64_t round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 1000; ++i) list.add({Address{(i * 7919) % 1000}, 1});
  }
  list.add({Address{0}, ~std::uint64_t{0}});
  const auto counts = list.take();
  REQUIRE(counts.size() == 1000);
  CHECK(counts.front() == BlockCount{Address{0}, ~std::uint64_t{0}});
  for (std::uint64_t i = 1; i < 1000; ++i) {
    CHECK(counts[i] == BlockCount{Address{(i * 7919) % 1000}, 3});
  }
  CHECK(list.take().empty());
}
