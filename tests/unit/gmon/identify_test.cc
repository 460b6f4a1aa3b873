#include <catch2/catch.hpp>

#include "engine/gmon/reader.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Addresses and counts like those of real programs: half the bytes of 64-bit ones are 0.
GmonDescription realistic(GmonDescription description) {
  description.histograms[0].low = 0x400000;
  description.histograms[0].high = 0x400400;
  description.histograms[0].bins.assign(256, 3);
  for (std::uint64_t i = 0; i < 20; ++i) {
    description.arcs.push_back({0x400010 + 16 * i, 0x400020 + 32 * i, 1 + i * i});
  }
  return description;
}

}  // namespace

TEST_CASE("gmon: byte order, pointer width and text range are found out from the bytes") {
  for (GmonDescription description : all_samples()) {
    description = realistic(std::move(description));
    CAPTURE(static_cast<int>(description.format), description.version,
            static_cast<int>(description.layout.pointer_width),
            static_cast<int>(description.layout.byte_order));
    const auto identity = identify_gmon(build_gmon(description), "gmon.out");
    REQUIRE(identity);
    CHECK(identity->layout.pointer_width == description.layout.pointer_width);
    CHECK(identity->layout.byte_order == description.layout.byte_order);
    REQUIRE(identity->histogram_range);
    CHECK(*identity->histogram_range == AddressRange{{0x400000}, {0x400400}});
  }
}

TEST_CASE("gmon: the build-id prefix identifies a file without any records") {
  GmonDescription description;
  description.build_id_prefix.emplace().fill(std::byte{0xab});
  const auto identity = identify_gmon(build_gmon(description), "gmon.out");
  REQUIRE(identity);
  CHECK(identity->build_id_prefix == description.build_id_prefix);
  CHECK_FALSE(identity->histogram_range);
}

TEST_CASE("gmon: what is no gmon file is not identified") {
  const auto error_of = [](std::string_view text) {
    const auto identity = identify_gmon(std::as_bytes(std::span(text)), "file");
    REQUIRE_FALSE(identity);
    return identity.error().code;
  };
  CHECK(error_of("") == ErrorCode::wrong_format);
  CHECK(error_of("a text that goes on for a while, but is no profile of any kind at all") ==
        ErrorCode::wrong_format);
  CHECK(error_of(std::string(1000, '\0')) == ErrorCode::wrong_format);
  CHECK(error_of("gmon, said the text") == ErrorCode::unsupported);
}
