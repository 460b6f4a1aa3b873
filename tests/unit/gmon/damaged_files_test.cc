#include <catch2/catch.hpp>

#include "engine/gmon/reader.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr GmonFormatChoice all_choices[] = {GmonFormatChoice::automatic, GmonFormatChoice::gnu,
                                            GmonFormatChoice::bsd, GmonFormatChoice::bsd44};

// A GNU file may end after any record, a BSD file anywhere after its bins: no shorter is complete.
bool may_end_at(const GmonDescription& description, std::size_t size) {
  if (description.format != GmonFormat::gnu) {
    GmonDescription bare = description;
    bare.arcs.clear();
    return size >= build_gmon(bare).size();
  }
  GmonBytes bytes(description.layout);
  append_gnu_header(bytes, description.version, description.build_id_prefix);
  bool complete = bytes.bytes().size() == size;
  const auto note = [&] { complete = complete || bytes.bytes().size() == size; };
  for (const auto& record : description.histograms) append_gnu_histogram(bytes, record), note();
  for (const auto& record : description.arcs) append_gnu_arc(bytes, record), note();
  for (const auto& record : description.blocks) {
    append_gnu_blocks(bytes, description.version, record), note();
  }
  return complete;
}

}  // namespace

TEST_CASE("gmon: a file cut at any byte is an error, or a shorter profile at a record's end") {
  for (const GmonDescription& description : all_samples()) {
    const auto bytes = build_gmon(description);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<std::byte> prefix(bytes.begin(), bytes.begin() + size);
      CAPTURE(static_cast<int>(description.format), description.version,
              static_cast<int>(description.layout.pointer_width), size);
      const auto profile = read_gmon(prefix, "gmon.out", description.layout);
      CHECK(profile.has_value() == may_end_at(description, size));
      if (profile) CHECK(profile->arcs.size() <= description.arcs.size());
      if (!profile && description.format == GmonFormat::gnu) {
        CHECK(profile.error().code == ErrorCode::truncated);
      }
      if (!profile && profile.error().offset) CHECK(*profile.error().offset <= size);
      for (const GmonFormatChoice choice : all_choices) {
        for (const GmonLayout& layout : all_layouts()) {
          (void)read_gmon(prefix, "gmon.out", layout, choice);
        }
      }
      (void)identify_gmon(prefix, "gmon.out");
    }
  }
}

TEST_CASE("gmon: every byte of every format may be wrong") {
  for (const GmonDescription& description : all_samples()) {
    const auto bytes = build_gmon(description);
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      for (const int value : {0x00, 0x01, 0x02, 0x7f, 0x80, 0xff}) {
        auto damaged = bytes;
        damaged[place] = static_cast<std::byte>(value);
        const auto profile = read_gmon(damaged, "gmon.out", description.layout);
        // Everything read came from bytes that exist.
        if (profile) CHECK(profile->arcs.size() * 13 <= bytes.size());
        (void)identify_gmon(damaged, "gmon.out");
      }
    }
  }
}

TEST_CASE("gmon: announced lengths beyond the file are refused before anything is allocated") {
  for (const std::uint32_t length : {0x7fffffffU, 0x80000000U, 0xffffffffU, 1000U}) {
    for (const GmonLayout& layout : all_layouts()) {
      CAPTURE(length, static_cast<int>(layout.pointer_width));
      for (const GmonFormat format : {GmonFormat::gnu, GmonFormat::bsd, GmonFormat::bsd44}) {
        GmonDescription histogram = sample(format, layout);
        histogram.histograms[0].announced_length = length;
        CHECK_FALSE(read_gmon(build_gmon(histogram), "gmon.out", layout));
      }
      for (const std::uint32_t version : {0U, 1U}) {
        GmonDescription blocks = sample(GmonFormat::gnu, layout, version);
        blocks.blocks[0].announced_length = length;
        const auto profile = read_gmon(build_gmon(blocks), "gmon.out", layout);
        REQUIRE_FALSE(profile);
        CHECK(profile.error().code == ErrorCode::truncated);
      }
    }
  }
}

TEST_CASE("gmon: a BSD histogram that would end before its own header is refused") {
  for (const GmonFormat format : {GmonFormat::bsd, GmonFormat::bsd44}) {
    for (const std::uint32_t length : {0U, 1U, 11U, 19U}) {
      GmonDescription description = sample(format, {});
      description.histograms[0].announced_length = length;
      const auto profile = read_gmon(build_gmon(description), "gmon.out", {});
      REQUIRE_FALSE(profile);
      CHECK_THAT(profile.error().message,
                 Catch::Contains("header and histogram together would be"));
    }
  }
}

TEST_CASE("gmon: very many histograms in the worst order are read in reasonable time") {
  GmonBytes bytes({});
  append_gnu_header(bytes, 1, std::nullopt);
  constexpr std::uint64_t count = 200'000;
  for (std::uint64_t i = count; i > 0; --i) {
    append_gnu_histogram(bytes, {4 * i, 4 * i + 4, {1}, 100, "seconds", 's', {}});
  }
  const auto profile = read_gmon(bytes.bytes(), "gmon.out", {});
  REQUIRE(profile);
  CHECK(profile->histograms.size() == count);
  CHECK(profile->histograms.front().low == Address{4});
}
