#include "engine/gmon/reader.h"

#include <array>
#include <fstream>

#include <catch2/catch.hpp>

#include "tests/support/process.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

Expected<RawProfile> read(const GmonDescription& description,
                          GmonFormatChoice choice = GmonFormatChoice::automatic) {
  return read_gmon(build_gmon(description), "gmon.out", description.layout, choice);
}

Error read_error(const GmonDescription& description,
                 GmonFormatChoice choice = GmonFormatChoice::automatic) {
  auto profile = read(description, choice);
  REQUIRE_FALSE(profile);
  return profile.error();
}

}  // namespace

TEST_CASE("gmon: every format, byte order and pointer width gives the same profile") {
  for (const GmonDescription& description : all_samples()) {
    CAPTURE(static_cast<int>(description.format), description.version,
            static_cast<int>(description.layout.pointer_width),
            static_cast<int>(description.layout.byte_order));
    const auto profile = read(description);
    REQUIRE(profile);
    CHECK(profile->format == description.format);
    REQUIRE(profile->histograms.size() == 1);
    CHECK(profile->histograms[0].low == Address{0x1000});
    CHECK(profile->histograms[0].high == Address{0x1010});
    CHECK(profile->histograms[0].bins == BinCounts{7, 0xfffe});
    CHECK(profile->arcs == std::vector<RawArc>{{{0x1002}, {0x1008}, 3},
                                               {{0x1004}, {0x1008}, 0x10203},
                                               {{0x1002}, {0x1008}, 4}});
    CHECK(profile->arc_records == 3);
    CHECK(profile->histogram_records == 1);
    CHECK(profile->dimension == "seconds");
    CHECK(profile->dimension_abbreviation == 's');
    CHECK_FALSE(profile->build_id_prefix);
    if (description.format == GmonFormat::gnu) {
      CHECK(profile->version == description.version);
      CHECK(profile->block_records == 1);
      CHECK(profile->blocks == std::vector<BlockCount>{{{0x1002}, 5}, {{0x1006}, 0x1234}});
    } else {
      CHECK(profile->version == 0);
      CHECK(profile->block_records == 0);
    }
    CHECK(profile->rate == (description.format == GmonFormat::bsd ? 100 : 250));
  }
}

TEST_CASE("gmon: glibc's profile of a library, in every byte order and pointer width") {
  for (const GmonLayout layout : {GmonLayout{PointerWidth::eight, ByteOrder::little},
                                  GmonLayout{PointerWidth::eight, ByteOrder::big},
                                  GmonLayout{PointerWidth::four, ByteOrder::little}}) {
    GmonBytes bytes(layout);
    bytes.text("gmon", 4).u32(0x1ffff).text("", 12);
    bytes.u32(0).word(0x1000).word(0x1010).u32(4).u32(100).text("seconds", 15).u8('s');
    for (const std::uint64_t bin : {0, 7, 0, 3}) bytes.u16(bin);
    const std::size_t tag_of_arcs = bytes.bytes().size();
    bytes.u32(1).u32(2);
    bytes.word(0).word(0x8).u32(20);
    bytes.word(0xa).word(0x4).u32(5);
    const std::size_t end = bytes.bytes().size();
    // Room for more arcs.
    bytes.text("", 200);
    const auto profile = read_gmon(bytes.bytes(), "libx.so.profile", layout);
    REQUIRE(profile);
    CHECK(profile->rate == 100);
    REQUIRE(profile->histograms.size() == 1);
    CHECK(profile->histograms[0].low == Address{0x1000});
    CHECK(profile->histograms[0].bins == BinCounts{0, 7, 0, 3});
    CHECK(profile->arcs == std::vector<RawArc>{{{0}, {0x1008}, 20}, {{0x100a}, {0x1004}, 5}});
    CHECK(profile->arc_records == 2);
    for (std::size_t size = 21; size < end; ++size) {
      CAPTURE(size);
      CHECK_FALSE(read_gmon(std::span(bytes.bytes()).first(size), "libx.so.profile", layout));
    }
    std::vector<std::byte> damaged = bytes.bytes();
    damaged[tag_of_arcs + (layout.byte_order == ByteOrder::little ? 0 : 3)] = std::byte{2};
    const auto refused = read_gmon(damaged, "libx.so.profile", layout);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().offset == tag_of_arcs);
  }
}

TEST_CASE("gmon: records come in any order and number") {
  GmonBytes bytes({});
  append_gnu_header(bytes, 1, std::nullopt);
  append_gnu_blocks(bytes, 1, {{{0x10, 1}}, {}});
  append_gnu_arc(bytes, {0x10, 0x20, 9});
  append_gnu_histogram(bytes, {0x100, 0x108, {1, 2}, 100, "seconds", 's', {}});
  append_gnu_blocks(bytes, 1, {{}, {}});
  append_gnu_histogram(bytes, {0x80, 0x88, {0xffff, 4}, 999, "seconds", 's', {}});
  append_gnu_histogram(bytes, {0x80, 0x88, {0xffff, 40}, 999, "seconds", 's', {}});
  const auto profile = read_gmon(bytes.bytes(), "gmon.out", {});
  REQUIRE(profile);
  REQUIRE(profile->histograms.size() == 2);
  CHECK(profile->histograms[0].low == Address{0x80});
  CHECK(profile->histograms[0].bins == BinCounts{2 * 0xffff, 44});
  CHECK(profile->histograms[1].bins == BinCounts{1, 2});
  CHECK(profile->histogram_records == 3);
  CHECK(profile->block_records == 2);
  CHECK(profile->rate == 100);  // the first record's
}

TEST_CASE("gmon: the build-id prefix is read from the header's spare bytes") {
  GmonDescription description = sample(GmonFormat::gnu, {});
  std::array<std::byte, 8> prefix = {};
  for (std::size_t i = 0; i < prefix.size(); ++i) prefix[i] = static_cast<std::byte>(0xa0 + i);
  description.build_id_prefix = prefix;
  const auto profile = read(description);
  REQUIRE(profile);
  CHECK(profile->build_id_prefix == prefix);
}

TEST_CASE("gmon: a file without records is an empty profile") {
  GmonDescription description;
  const auto profile = read(description);
  REQUIRE(profile);
  CHECK(profile->histograms.empty());
  CHECK(profile->rate == 0);
}

TEST_CASE("gmon: a histogram without bins tells rate and unit, whatever its range") {
  GmonDescription description;
  description.histograms = {{0x20, 0x10, {}, 333, "cache misses", 'c', {}}};
  const auto profile = read(description);
  REQUIRE(profile);
  CHECK(profile->histograms.empty());
  CHECK(profile->histogram_records == 1);
  CHECK(profile->rate == 333);
  CHECK(profile->dimension == "cache misses");
  CHECK(profile->dimension_abbreviation == 'c');
}

TEST_CASE("gmon: a dimension may fill its 15 characters without a zero byte") {
  GmonDescription description;
  description.histograms = {{0, 2, {1}, 1, "123456789012345", '1', {}}};
  CHECK(read(description)->dimension == "123456789012345");
}

TEST_CASE("gmon: the rate of a BSD file without one is 100") {
  GmonDescription description = sample(GmonFormat::bsd44, {});
  description.histograms[0].rate = 0;
  CHECK(read(description)->rate == 100);
}

namespace {

using SpareWords = std::array<std::uint64_t, 3>;

// A 4.4BSD file with an arc and two bins of `bin_bytes`: 7 and `count`.
std::vector<std::byte> with_bins(const GmonLayout& layout, const SpareWords& spare,
                                 std::uint32_t bin_bytes, std::uint64_t count) {
  GmonBytes bytes(layout);
  const auto width = static_cast<std::uint32_t>(layout.pointer_width);
  bytes.word(0x1000).word(0x1008).u32(2 * width + 24 + 2 * bin_bytes).u32(0x51879).u32(100);
  for (const std::uint64_t word : spare) bytes.u32(word);
  for (const std::uint64_t bin : {std::uint64_t{7}, count}) bytes.integer(bin, bin_bytes);
  bytes.word(0x1002).word(0x1004).word(5);
  return bytes.bytes();
}

}  // namespace

TEST_CASE("gmon: the bins of a BSD file are as wide as FreeBSD's header says") {
  constexpr std::uint64_t largest_32 = 0xffffffff;
  for (const GmonLayout& layout : all_layouts()) {
    for (const std::uint32_t bits : {8U, 16U, 32U, 64U}) {
      CAPTURE(bits);
      const std::uint64_t count = bits == 64 ? std::uint64_t{1} << 40 : largest_32 >> (32 - bits);
      const auto bytes = with_bins(layout, {bits, 0, 0}, bits / 8, count);
      const auto profile = read_gmon(bytes, "gmon.out", layout);
      REQUIRE(profile);
      CHECK(profile->histograms[0].bins == BinCounts{7, count});
      CHECK(profile->arcs.size() == 1);
      const auto identity = identify_gmon(bytes, "gmon.out");
      REQUIRE(identity);
      CHECK(identity->histogram_range == AddressRange{{0x1000}, {0x1008}});

      // The same word below 0: bins have a sign.
      const auto below = read_gmon(
          with_bins(layout, {0 - std::uint64_t{bits}, 0, 0}, bits / 8, count | ~largest_32),
          "gmon.out", layout);
      REQUIRE(below);
      CHECK(below->histograms[0].bins == BinCounts{7, 0});
    }
    // OpenBSD's size of arcs, and what NuttX left there.
    for (const SpareWords& spare : {SpareWords{24, 0, 0}, SpareWords{64, 0x80001234, 0},
                                    SpareWords{64, 0, 1}, SpareWords{12, 0, 0}}) {
      const auto profile = read_gmon(with_bins(layout, spare, 2, 9), "gmon.out", layout);
      REQUIRE(profile);
      CHECK(profile->histograms[0].bins == BinCounts{7, 9});
      CHECK(profile->arcs.size() == 1);
    }
  }
}

TEST_CASE("gmon: the last bytes of a BSD file that make no arc are left out") {
  for (const GmonFormat format : {GmonFormat::bsd, GmonFormat::bsd44}) {
    auto bytes = build_gmon(sample(format, {}));
    bytes.resize(bytes.size() + 23);
    const auto profile = read_gmon(bytes, "gmon.out", {});
    REQUIRE(profile);
    CHECK(profile->arcs.size() == 3);
  }
}

TEST_CASE("gmon: an odd size of a BSD histogram is rounded down, as GNU gprof does") {
  GmonDescription description = sample(GmonFormat::bsd, {});
  description.histograms[0].announced_length = 20 + 2 * 2 + 1;
  const auto profile = read(description);
  REQUIRE(profile);
  CHECK(profile->histograms[0].bins.size() == 2);
  CHECK(profile->arcs.size() == 3);
}

TEST_CASE("gmon: a chosen format is held to") {
  const GmonDescription gnu = sample(GmonFormat::gnu, {});
  const GmonDescription bsd = sample(GmonFormat::bsd, {});
  const GmonDescription bsd44 = sample(GmonFormat::bsd44, {});
  CHECK(read(gnu, GmonFormatChoice::gnu));
  CHECK(read(bsd, GmonFormatChoice::bsd));
  CHECK(read(bsd44, GmonFormatChoice::bsd44));
  // The version word decides, as in GNU gprof.
  CHECK(read(bsd44, GmonFormatChoice::bsd)->format == GmonFormat::bsd44);
  CHECK(read_error(bsd, GmonFormatChoice::gnu).code == ErrorCode::wrong_format);
  CHECK(read_error(bsd44, GmonFormatChoice::gnu).code == ErrorCode::wrong_format);
  CHECK(read_error(bsd, GmonFormatChoice::bsd44).code == ErrorCode::wrong_format);
  CHECK(read_error(gnu, GmonFormatChoice::bsd).code == ErrorCode::wrong_format);
}

TEST_CASE("gmon: histograms of one file must fit together") {
  const HistogramRecord first{0x1000, 0x1010, {1, 2, 3, 4}, 100, "seconds", 's', {}};
  const auto error_with = [&](const HistogramRecord& second) {
    GmonDescription description;
    description.histograms = {first, second};
    return read_error(description);
  };
  const std::uint64_t second_record = 20 + 1 + 16 + 24 + 8;
  const Error overlap = error_with({0x100e, 0x101e, {1, 2, 3, 4}, 100, "seconds", 's', {}});
  CHECK(overlap.code == ErrorCode::corrupt);
  CHECK(overlap.offset == second_record);
  CHECK_THAT(overlap.message, Catch::Contains("overlaps the one over [0x1000, 0x1010)"));
  CHECK_THAT(error_with({0x1010, 0x1020, {1, 2}, 100, "seconds", 's', {}}).message,
             Catch::Contains("bins of 8 bytes where those before have 4"));
  CHECK_THAT(error_with({0x1010, 0x1020, {1, 2, 3, 4}, 100, "misses", 's', {}}).message,
             Catch::Contains("\"misses\" found after \"seconds\""));
  CHECK_THAT(error_with({0x1010, 0x1020, {1, 2, 3, 4}, 100, "seconds", 'm', {}}).message,
             Catch::Contains("'m' found after 's'"));
}

TEST_CASE("gmon: histograms of one file that overlap bin by bin add up") {
  GmonDescription description;
  description.histograms = {{0x1000, 0x1010, {1, 2, 3, 4}, 100, "seconds", 's', {}},
                            {0x1008, 0x1018, {10, 20, 30, 40}, 100, "seconds", 's', {}},
                            {0x100c, 0x1010, {100}, 100, "seconds", 's', {}}};
  const auto profile = read(description);
  REQUIRE(profile);
  REQUIRE(profile->histograms.size() == 1);
  CHECK(profile->histograms[0].low == Address{0x1000});
  CHECK(profile->histograms[0].high == Address{0x1018});
  CHECK(profile->histograms[0].bins == BinCounts{1, 2, 13, 124, 30, 40});
  CHECK(profile->histogram_records == 3);
}

TEST_CASE("gmon: a range that cannot hold bins is refused in every format") {
  for (const GmonFormat format : {GmonFormat::gnu, GmonFormat::bsd, GmonFormat::bsd44}) {
    for (const std::uint64_t high : {0x1000, 0x1001, 0xfff, 0}) {
      CAPTURE(static_cast<int>(format), high);
      GmonDescription description = sample(format, {});
      description.histograms[0].high = high;
      // GNU's magic identifies a profile: an empty range is not a contradiction.
      const bool lenient = format == GmonFormat::gnu && high >= 0x1000;
      CHECK(read(description).has_value() == lenient);
    }
  }
}

TEST_CASE("gmon: errors name the file, the offset, what was expected and what to do") {
  GmonDescription description = sample(GmonFormat::gnu, {});
  description.version = 7;
  CHECK(read_error(description).code == ErrorCode::unsupported);
  CHECK_THAT(describe(read_error(description)),
             Catch::StartsWith("gmon.out: version 0 or 1 of the GNU format expected, 7 found") &&
                 Catch::EndsWith("(at byte 4)"));

  auto bytes = build_gmon(sample(GmonFormat::gnu, {}));
  bytes.push_back(std::byte{9});
  const auto bad_tag = read_gmon(bytes, "gmon.out", {});
  REQUIRE_FALSE(bad_tag);
  CHECK(bad_tag.error().code == ErrorCode::corrupt);
  CHECK(bad_tag.error().offset == bytes.size() - 1);
  CHECK_THAT(bad_tag.error().message, Catch::Contains("9 found"));

  bytes.pop_back();
  bytes.pop_back();
  const auto cut = read_gmon(bytes, "gmon.out", {});
  REQUIRE_FALSE(cut);
  CHECK(cut.error().code == ErrorCode::truncated);
  CHECK_THAT(cut.error().message, Catch::Contains("run the program again"));
}

TEST_CASE("gmon: other kinds of files are told from profiles") {
  const auto error_of = [](std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    const auto profile = read_gmon(bytes, "file", {});
    REQUIRE_FALSE(profile);
    return profile.error();
  };
  CHECK(error_of("").code == ErrorCode::truncated);
  CHECK(error_of("gmo").code == ErrorCode::truncated);
  CHECK(error_of(std::string("\x7f") + "ELF and more of the same").code == ErrorCode::wrong_format);
  const Error text = error_of("#include <stdio.h>\nint main(void) { return 0; }\n");
  CHECK(text.code == ErrorCode::wrong_format);
  CHECK_THAT(text.message, Catch::Contains("not a profile in a known format"));
  CHECK(error_of(std::string(500, '\0')).code == ErrorCode::wrong_format);
}

TEST_CASE("gmon: files are read from disk, and what is no file is refused") {
  const auto directory = fresh_directory("gmon_reader_files");
  const auto bytes = build_gmon(sample(GmonFormat::gnu, {}));
  const auto path = directory / "gmon.out";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto profile = read_gmon_file(path, {});
  REQUIRE(profile);
  CHECK(profile->arcs.size() == 3);
  CHECK(read_gmon_file(directory / "missing", {}).error().code == ErrorCode::not_found);
  CHECK(read_gmon_file(directory, {}).error().code == ErrorCode::unreadable);
  // A sparse file costs nothing, whatever its size.
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  CHECK(read_gmon_file(path, {}).error().code == ErrorCode::unsupported);
}
