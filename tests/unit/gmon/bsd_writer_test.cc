#include <catch2/catch.hpp>

#include "engine/gmon/writer.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

RawProfile profile_of(GmonFormat format, const GmonLayout& layout) {
  const auto read = read_gmon(build_gmon(sample(format, layout)), "gmon.out", layout);
  REQUIRE(read);
  return *read;
}

RawProfile simple() {
  RawProfile profile;
  profile.format = GmonFormat::bsd;
  profile.rate = 100;
  profile.histograms = {{{0x1000}, {0x1008}, {1, 65535}}};
  return profile;
}

constexpr GmonLayout wide = {PointerWidth::eight, ByteOrder::little};
constexpr GmonLayout narrow = {PointerWidth::four, ByteOrder::little};

void check_refused(const RawProfile& profile, const GmonLayout& layout) {
  const auto bytes = write_bsd_gmon(profile, layout);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().code == ErrorCode::invalid_argument);
  CHECK(bytes.error().message.find("-O magic") != std::string::npos);
}

}  // namespace

TEST_CASE("bsd writer: writes byte for byte what the formats say") {
  const GmonFormat format = GENERATE(GmonFormat::bsd, GmonFormat::bsd44);
  for (const GmonLayout& layout : all_layouts()) {
    const auto bytes = write_bsd_gmon(profile_of(format, layout), layout);
    REQUIRE(bytes);
    CHECK(*bytes == build_gmon(sample(format, layout)));
  }
}

TEST_CASE("bsd writer: a profile without samples has a header and arcs") {
  RawProfile profile;
  profile.format = GmonFormat::bsd44;
  profile.rate = 250;
  profile.arcs = {{Address{1}, Address{2}, 3}};
  const auto bytes = write_bsd_gmon(profile, wide);
  REQUIRE(bytes);
  const auto read = read_gmon(*bytes, "written", wide);
  REQUIRE(read);
  CHECK(read->arcs == profile.arcs);
}

TEST_CASE("bsd writer: what the formats cannot hold is refused, not cut") {
  RawProfile profile = simple();
  REQUIRE(write_bsd_gmon(profile, wide));

  SECTION("a bin beyond 16 bits") {
    profile.histograms[0].bins[1] = 65536;
    check_refused(profile, wide);
  }
  SECTION("a second histogram") {
    profile.histograms.push_back({{0x2000}, {0x2008}, {1, 1}});
    check_refused(profile, wide);
  }
  SECTION("block counts") {
    profile.blocks.push_back({Address{0x1000}, 1});
    check_refused(profile, wide);
  }
  SECTION("an arc beyond a word") {
    profile.arcs = {{Address{0x1000}, Address{0x1004}, std::uint64_t{1} << 32}};
    check_refused(profile, narrow);
    CHECK(write_bsd_gmon(profile, wide));
  }
}
