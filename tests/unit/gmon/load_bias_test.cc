// Profiles of programs that Windows loaded elsewhere than where they were linked.
#include "engine/gmon/load_bias.h"

#include <catch2/catch.hpp>

#include "engine/gmon/reader.h"
#include "tests/support/gmon_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t linked = 0x140001000;
constexpr std::uint64_t code_size = 0x7000;

GmonLayout layout_of_program(std::uint64_t size = code_size) {
  GmonLayout layout;
  layout.movable_code = AddressRange{{linked}, {linked + size}};
  return layout;
}

// The bias of a profile that begins `start` after the code, of `size` bytes.
std::uint64_t bias_of(std::uint64_t start, std::uint64_t size, std::uint64_t moved,
                      std::uint64_t program_size = code_size) {
  const Address low{linked + start + moved};
  return load_bias({low, low + size}, layout_of_program(program_size));
}

}  // namespace

TEST_CASE("load bias: whole steps of 64 KiB, from the code that was sampled") {
  CHECK(bias_of(0x510, 0x6000, 0) == 0);
  CHECK(bias_of(0x510, 0x6000, 0x10000) == 0x10000);
  CHECK(bias_of(0x510, 0x6000, 0x7ff6'5432'0000) == 0x7ff6'5432'0000);
  const std::uint64_t below = std::uint64_t{0} - 0x30000;
  CHECK(bias_of(0x510, 0x6000, below) == below);
  // Rounded to bins.
  CHECK(bias_of(0, code_size + 8, 0x50000) == 0x50000);
}

TEST_CASE("load bias: none where the sampled code is the program's, or is none of it") {
  CHECK(bias_of(0x10, 0x20000, 0, 0x40000) == 0);
  CHECK(bias_of(0x20010, 0x10, 0, 0x40000) == 0);
  CHECK(bias_of(0x510, 0x6000, 0x18000) == 0);
  CHECK(bias_of(0x510, code_size + 0x100, 0x10000) == 0);
  CHECK(load_bias({{5}, {5}}, layout_of_program()) == 0);
  CHECK(load_bias({{0}, {~std::uint64_t{0}}}, layout_of_program()) == 0);
  CHECK(load_bias({{linked + 0x10000}, {linked + 0x10100}}, GmonLayout()) == 0);
}

TEST_CASE("load bias: none where the sampled code has several places in the program's") {
  CHECK(bias_of(0, 0x100, 0x70000, 0x30000) == 0);
  CHECK(bias_of(0, 0x2f000, 0x70000, 0x30000) == 0x70000);
}

TEST_CASE("load bias: histograms, arcs and blocks get the addresses of the program") {
  const std::uint64_t moved = 0x7ff7'0000'0000 - 0x140000000;
  const auto format = GENERATE(GmonFormat::gnu, GmonFormat::bsd44);
  GmonDescription description;
  description.format = format;
  HistogramRecord histogram;
  histogram.low = linked + moved;
  histogram.high = histogram.low + 0x6800;
  histogram.bins.assign(0x3400, 1);
  description.histograms = {histogram};
  description.arcs = {{histogram.low + 0x20, histogram.low + 0x40, 7}};
  const auto profile = read_gmon(build_gmon(description), "gmon.out", layout_of_program());
  REQUIRE(profile);
  REQUIRE(profile->histograms.size() == 1);
  CHECK(profile->histograms[0].low == Address{linked});
  CHECK(profile->histograms[0].high == Address{linked + 0x6800});
  CHECK(profile->arcs == std::vector<RawArc>{{{linked + 0x20}, {linked + 0x40}, 7}});
}
