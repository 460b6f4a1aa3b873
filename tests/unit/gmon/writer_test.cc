#include "engine/gmon/writer.h"

#include <catch2/catch.hpp>

#include "engine/gmon/sum.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Writes and reads back, with records of the same place added up.
RawProfile round_trip(const RawProfile& profile, const GmonLayout& layout) {
  const auto bytes = write_gmon(profile, layout);
  REQUIRE(bytes);
  const auto read = read_gmon(*bytes, "written", layout, GmonFormatChoice::gnu);
  REQUIRE(read);
  ProfileSum sum;
  REQUIRE(sum.add(*read, "written"));
  return sum.take();
}

RawProfile single_bin(std::uint64_t count) {
  RawProfile profile;
  profile.rate = 100;
  profile.histogram_records = 1;
  profile.histograms = {{{0x1000}, {0x1004}, {count}}};
  return profile;
}

}  // namespace

TEST_CASE("gmon writer: writes byte for byte what the format says") {
  for (const GmonLayout& layout : all_layouts()) {
    GmonDescription description = sample(GmonFormat::gnu, layout);
    description.build_id_prefix.emplace().fill(std::byte{0x5a});
    const auto expected = build_gmon(description);
    const auto profile = read_gmon(expected, "gmon.out", layout);
    REQUIRE(profile);
    const auto written = write_gmon(*profile, layout);
    REQUIRE(written);
    CHECK(*written == expected);
  }
}

TEST_CASE("gmon writer: every format survives as GNU version 1") {
  for (const GmonDescription& description : all_samples()) {
    const auto profile = read_gmon(build_gmon(description), "gmon.out", description.layout);
    REQUIRE(profile);
    const RawProfile again = round_trip(*profile, description.layout);
    CHECK(again.version == 1);
    CHECK(again.rate == profile->rate);
    CHECK(again.histograms[0].bins == profile->histograms[0].bins);
    CHECK(again.arcs ==
          std::vector<RawArc>{{{0x1002}, {0x1008}, 7}, {{0x1004}, {0x1008}, 0x10203}});
    CHECK(again.blocks == profile->blocks);
  }
}

TEST_CASE("gmon writer: counts beyond a record's width are carried by further records") {
  for (const GmonLayout& layout : all_layouts()) {
    RawProfile profile = single_bin(0);
    profile.histograms[0].high = Address{0x1010};
    profile.histograms[0].bins = {70'000, 65'535, 0, 268'431'360};  // the last is the bound
    profile.arcs = {{{1}, {2}, 5'000'000'000}, {{3}, {4}, 0}, {{5}, {6}, 0xffffffff}};
    profile.blocks = {{{7}, 9'000'000'000}, {{8}, 0}};
    const RawProfile again = round_trip(profile, layout);
    REQUIRE(again.histograms.size() == 1);
    CHECK(again.histograms[0].bins == profile.histograms[0].bins);
    CHECK(again.histogram_records == most_records_a_count);
    CHECK(again.arcs == profile.arcs);
    CHECK(again.arc_records == 4);
    CHECK(again.blocks == profile.blocks);
  }
}

TEST_CASE("gmon writer: a profile that was sampled has a histogram in its file") {
  RawProfile profile = single_bin(0);
  CHECK(round_trip(profile, {}).histograms.size() == 1);
  profile.histograms.clear();
  profile.rate = 1000;
  const RawProfile again = round_trip(profile, {});
  CHECK(again.histogram_records == 1);
  CHECK(again.rate == 1000);
  profile.histogram_records = 0;
  CHECK(round_trip(profile, {}).histogram_records == 0);
}

TEST_CASE("gmon writer: what a file cannot say is refused") {
  const auto refusal = [](const RawProfile& profile, GmonLayout layout = {}) {
    const auto bytes = write_gmon(profile, layout);
    REQUIRE_FALSE(bytes);
    CHECK(bytes.error().code == ErrorCode::invalid_argument);
    return bytes.error().message;
  };
  CHECK_THAT(refusal(single_bin(1'000'000'000'000)),
             Catch::Contains("at most 268431360 samples in a bin expected"));
  CHECK_THAT(refusal(single_bin(268'431'361)), Catch::Contains("268431361 found"));

  RawProfile calls;
  calls.arcs = {{{1}, {2}, std::uint64_t{1} << 60}};
  CHECK_THAT(refusal(calls), Catch::Contains("calls by an arc"));

  RawProfile long_name = single_bin(1);
  long_name.dimension = "sixteen letters!";
  CHECK_THAT(refusal(long_name), Catch::Contains("at most 15 characters"));

  // 4,096 records of a million bins would be 8 GB.
  RawProfile large = single_bin(1);
  large.histograms[0].high = Address{0x1000 + 4'000'000};
  large.histograms[0].bins.assign(1'000'000, 268'431'360);
  CHECK_THAT(refusal(large), Catch::Contains("more than 1073741824 bytes"));

  const GmonLayout narrow{PointerWidth::four, ByteOrder::little};
  RawProfile wide;
  wide.arcs = {{{0x1'0000'0000}, {2}, 1}};
  CHECK_THAT(refusal(wide, narrow), Catch::Contains("addresses of 4 bytes expected"));
  wide.arcs = {{{2}, {0x1'0000'0000}, 1}};
  refusal(wide, narrow);
  wide.arcs.clear();
  wide.blocks = {{{0x1'0000'0000}, 1}};
  refusal(wide, narrow);
  wide.blocks.clear();
  wide.histograms = {{{0}, {0x1'0000'0000}, {1}}};
  refusal(wide, narrow);
}
