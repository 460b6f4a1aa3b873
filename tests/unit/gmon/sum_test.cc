#include "engine/gmon/sum.h"

#include <algorithm>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

RawProfile profile_of(std::uint64_t low, std::vector<std::uint64_t> bins, std::vector<RawArc> arcs,
                      std::vector<BlockCount> blocks = {}) {
  RawProfile profile;
  profile.rate = 100;
  profile.histogram_records = 1;
  profile.arc_records = arcs.size();
  profile.block_records = blocks.empty() ? 0 : 1;
  profile.histograms = {{{low}, {low + 4 * bins.size()}, std::move(bins)}};
  profile.arcs = std::move(arcs);
  profile.blocks = std::move(blocks);
  return profile;
}

RawProfile sum_of(const std::vector<RawProfile>& profiles) {
  RawProfile total;
  for (const RawProfile& profile : profiles) REQUIRE(add_profile(total, profile, "next"));
  return total;
}

// Makes counts independent of their order.
void sort_counts(RawProfile& profile) {
  std::sort(profile.arcs.begin(), profile.arcs.end(), [](const RawArc& a, const RawArc& b) {
    return std::tie(a.from_pc, a.self_pc) < std::tie(b.from_pc, b.self_pc);
  });
  std::sort(profile.blocks.begin(), profile.blocks.end(),
            [](const BlockCount& a, const BlockCount& b) { return a.address < b.address; });
}

bool same_figures(RawProfile a, RawProfile b) {
  sort_counts(a);
  sort_counts(b);
  const bool same_bins = std::equal(a.histograms.begin(), a.histograms.end(), b.histograms.begin(),
                                    b.histograms.end(), [](const Histogram& x, const Histogram& y) {
                                      return x.low == y.low && x.high == y.high && x.bins == y.bins;
                                    });
  return same_bins && a.arcs == b.arcs && a.blocks == b.blocks && a.rate == b.rate &&
         a.histogram_records == b.histogram_records && a.arc_records == b.arc_records &&
         a.block_records == b.block_records;
}

}  // namespace

TEST_CASE("gmon sum: counts of equal histograms, arcs and blocks add up") {
  const RawProfile a = profile_of(0x100, {1, 2}, {{{1}, {2}, 10}, {{3}, {4}, 5}}, {{{7}, 1}});
  const RawProfile b =
      profile_of(0x100, {30, 0}, {{{5}, {6}, 1}, {{1}, {2}, 7}}, {{{8}, 3}, {{7}, 2}});
  const RawProfile sum = sum_of({a, b});
  CHECK(sum.histograms[0].bins == BinCounts{31, 2});
  CHECK(sum.arcs == std::vector<RawArc>{{{1}, {2}, 17}, {{3}, {4}, 5}, {{5}, {6}, 1}});
  CHECK(sum.blocks == std::vector<BlockCount>{{{7}, 3}, {{8}, 3}});
  CHECK(sum.histogram_records == 2);
  CHECK(sum.arc_records == 4);
  CHECK(sum.block_records == 2);
}

TEST_CASE("gmon sum: the order of the profiles does not matter") {
  const std::vector<RawProfile> profiles = {
      profile_of(0x100, {1, 2}, {{{1}, {2}, 10}, {{1}, {2}, 3}}, {{{7}, 1}}),
      profile_of(0x200, {5}, {{{2}, {1}, 8}}),
      profile_of(0x100, {4, most}, {{{1}, {2}, most}}, {{{7}, most}, {{9}, 2}}),
      profile_of(0x80, {9, 9, 9}, {})};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  const RawProfile expected = sum_of(profiles);
  do {
    std::vector<RawProfile> shuffled;
    for (const std::size_t i : order) shuffled.push_back(profiles[i]);
    CHECK(same_figures(sum_of(shuffled), expected));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("gmon sum: the empty profile is the neutral element on both sides") {
  const auto read = read_gmon(build_gmon(sample(GmonFormat::bsd44, {})), "gmon.out", {});
  REQUIRE(read);
  RawProfile left;
  REQUIRE(add_profile(left, *read, "file"));
  RawProfile right = *read;
  REQUIRE(add_profile(right, RawProfile{}, "file"));
  for (const RawProfile& sum : {left, right}) {
    CHECK(same_figures(sum, *read));
    CHECK(sum.arcs == read->arcs);
    CHECK(sum.format == GmonFormat::bsd44);
    CHECK(sum.version == 0);
  }
}

TEST_CASE("gmon sum: counts saturate") {
  const RawProfile a = profile_of(0, {most - 1}, {{{1}, {2}, most - 1}}, {{{7}, most - 1}});
  const RawProfile b = profile_of(0, {5}, {{{1}, {2}, 5}}, {{{7}, 5}});
  const RawProfile sum = sum_of({a, b});
  CHECK(sum.histograms[0].bins[0] == most);
  CHECK(sum.arcs[0].count == most);
  CHECK(sum.blocks[0].count == most);
}

TEST_CASE("gmon sum: disjoint histograms of one resolution stand side by side, in order") {
  const RawProfile sum =
      sum_of({profile_of(0x200, {1}, {}), profile_of(0x100, {2}, {}), profile_of(0x104, {3}, {})});
  REQUIRE(sum.histograms.size() == 3);
  CHECK(sum.histograms[0].low == Address{0x100});
  CHECK(sum.histograms[1].low == Address{0x104});
  CHECK(sum.histograms[2].low == Address{0x200});
}

TEST_CASE("gmon sum: ranges that overlap on one grid are laid out over their union") {
  const RawProfile within =
      sum_of({profile_of(0x100, {1, 2, 3, 4}, {}), profile_of(0x104, {10, 20}, {})});
  REQUIRE(within.histograms.size() == 1);
  CHECK(within.histograms[0].bins == BinCounts{1, 12, 23, 4});

  // The last one joins the two before it, which are not adjacent.
  const RawProfile bridged = sum_of({profile_of(0x100, {1, 2}, {}), profile_of(0x110, {3, 4}, {}),
                                     profile_of(0x104, {10, 20, 30, 40}, {})});
  REQUIRE(bridged.histograms.size() == 1);
  CHECK(bridged.histograms[0].low == Address{0x100});
  CHECK(bridged.histograms[0].high == Address{0x118});
  CHECK(bridged.histograms[0].bins == BinCounts{1, 12, 20, 30, 43, 4});

  RawProfile wide = profile_of(0x104, {70'000, 1ULL << 40}, {});
  const RawProfile widened = sum_of({profile_of(0x100, {1, 2}, {}), wide});
  REQUIRE(widened.histograms.size() == 1);
  CHECK(widened.histograms[0].bins == BinCounts{1, 70'002, 1ULL << 40});
}

TEST_CASE("gmon sum: overlapping ranges add up alike in every order") {
  std::vector<RawProfile> profiles = {profile_of(0x100, {1, 2, 3}, {}),
                                      profile_of(0x108, {4, 5}, {}),
                                      profile_of(0x0f8, {6, 7, 8}, {}), profile_of(0x200, {9}, {}),
                                      profile_of(0x10c, {10, 11, 12}, {})};
  const RawProfile expected = sum_of(profiles);
  REQUIRE(expected.histograms.size() == 2);
  CHECK(expected.histograms[0].bins == BinCounts{6, 7, 9, 2, 7, 15, 11, 12});
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  do {
    ProfileSum sum;
    for (const std::size_t i : order) REQUIRE(sum.add(profiles[i], "next"));
    CHECK(same_figures(sum.take(), expected));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("gmon sum: a gap between ranges takes no memory, and many overlaps take no time") {
  const RawProfile apart =
      sum_of({profile_of(0x100, {1, 2}, {}), profile_of(std::uint64_t{1} << 60, {3}, {}),
              profile_of(0x104, {4, 5}, {})});
  REQUIRE(apart.histograms.size() == 2);
  CHECK(apart.histograms[0].bins == BinCounts{1, 6, 5});

  // Each one starts below all the earlier ones: laid out one by one, they would be moved each time.
  constexpr std::uint64_t steps = 200'000;
  ProfileSum sum;
  for (std::uint64_t i = steps; i > 0; --i) REQUIRE(sum.add(profile_of(4 * i, {1, 1}, {}), "next"));
  const RawProfile staircase = sum.take();
  REQUIRE(staircase.histograms.size() == 1);
  REQUIRE(staircase.histograms[0].bins.size() == steps + 1);
  CHECK(staircase.histograms[0].bins[0] == 1);
  CHECK(staircase.histograms[0].bins[1] == 2);
  CHECK(staircase.histograms[0].bins[steps] == 1);
}

TEST_CASE("gmon sum: what does not belong together is refused and changes nothing") {
  const RawProfile a = profile_of(0x100, {1, 2, 3}, {{{1}, {2}, 10}});
  const auto refused = [&](const RawProfile& other) {
    RawProfile total = a;
    const auto done = add_profile(total, other, "other.out");
    REQUIRE_FALSE(done);
    CHECK(same_figures(total, a));
    CHECK(done.error().path == "other.out");
    return done.error();
  };
  const Error overlap = refused(profile_of(0x102, {1, 2}, {{{1}, {2}, 1}}));
  CHECK(overlap.code == ErrorCode::mismatch);
  CHECK_THAT(overlap.message, Catch::Contains("overlaps the one over [0x100, 0x10c)"));
  refused(profile_of(0xfe, {1, 2}, {}));
  refused(profile_of(0x2, std::vector<std::uint64_t>(1000, 1), {}));

  RawProfile coarse = profile_of(0x200, {1, 2}, {});
  coarse.histograms[0].high = Address{0x210};
  CHECK_THAT(refused(coarse).message, Catch::Contains("bins of 8 bytes"));

  RawProfile misses = profile_of(0x100, {1, 2, 3}, {});
  misses.dimension = "cache misses";
  CHECK_THAT(refused(misses).message, Catch::Contains("cache misses"));

  RawProfile broken = profile_of(0x200, {1}, {});
  broken.histograms.push_back(broken.histograms[0]);
  CHECK(refused(broken).code == ErrorCode::invalid_argument);
}

TEST_CASE("gmon sum: resolutions that differ by less than a millionth are one") {
  // Ranges as collectors cut them: bins are not a whole number of bytes.
  RawProfile a = profile_of(0x1000, std::vector<std::uint64_t>(1'000'000, 1), {});
  RawProfile b = profile_of(0x1000'0000, std::vector<std::uint64_t>(1'000'000, 1), {});
  b.histograms[0].high = b.histograms[0].high + 2;
  CHECK(add_profile(a, b, "b"));
  RawProfile c = profile_of(0x2000'0000, std::vector<std::uint64_t>(1'000'000, 1), {});
  c.histograms[0].high = c.histograms[0].high + 8;
  CHECK_FALSE(add_profile(a, c, "c"));
}

TEST_CASE("gmon sum: the build-id prefix stays where all profiles agree") {
  RawProfile tagged = profile_of(0, {1}, {});
  tagged.build_id_prefix.emplace().fill(std::byte{1});
  RawProfile other = tagged;
  other.build_id_prefix->fill(std::byte{2});
  CHECK(sum_of({tagged, tagged}).build_id_prefix == tagged.build_id_prefix);
  CHECK_FALSE(sum_of({tagged, other}).build_id_prefix);
  CHECK_FALSE(sum_of({tagged, profile_of(0, {1}, {})}).build_id_prefix);
}

TEST_CASE("gmon sum: a sum of many profiles equals adding them one after the other") {
  ProfileSum sum;
  RawProfile total;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const RawProfile next =
        profile_of(0x100 * (i % 3), {i, 1}, {{{i % 5}, {i % 7}, i}, {{1}, {1}, 1}}, {{{i % 4}, i}});
    REQUIRE(sum.add(next, "next"));
    REQUIRE(add_profile(total, next, "next"));
  }
  const RawProfile taken = sum.take();
  CHECK(same_figures(taken, total));
  CHECK(taken.arcs == total.arcs);
  CHECK(sum.take().arcs.empty());
}
