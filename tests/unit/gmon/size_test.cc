// Profiles that claim impossible sizes, and profiles whose records only are scanned.
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/reader.h"
#include "engine/gmon/sidecar.h"
#include "engine/support/limits.h"
#include "engine/support/window_reader.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/process.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

fs::path write(const fs::path& path, const std::vector<std::byte>& bytes, std::uintmax_t size = 0) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (size != 0) fs::resize_file(path, size);
  return path;
}

Expected<GmonIdentity> identity_of(const fs::path& path) {
  const auto file = InputFile::open(path);
  REQUIRE(file);
  return identify_gmon_file(*file);
}

std::vector<std::byte> header_alone() {
  GmonBytes bytes({});
  append_gnu_header(bytes, 1, std::nullopt);
  return bytes.bytes();
}

// One histogram with a hole for bins.
std::vector<std::byte> histogram_header(std::uint32_t bins) {
  GmonBytes bytes({});
  append_gnu_header(bytes, 1, std::nullopt);
  append_gnu_histogram(bytes, {0x400000, 0x400000 + 4ULL * bins, {}, 100, "seconds", 's', bins});
  return bytes.bytes();
}

}  // namespace

TEST_CASE("amplification: a sparse profile is refused by its size, whatever reads it") {
  const fs::path folder = fresh_directory("gmon-sparse");
  for (const std::uintmax_t gibibytes : {3, 500}) {
    const fs::path path = write(folder / "gmon.out", header_alone(), gibibytes << 30);
    const auto identity = identity_of(path);
    REQUIRE_FALSE(identity);
    CHECK(identity.error().code == ErrorCode::unsupported);
    CHECK_THAT(identity.error().message, Catch::Contains("at most 1073741824 bytes expected"));
    CHECK(read_gmon_file(path, {}).error().code == ErrorCode::unsupported);
    CHECK(read_sidecar_file(path).error().code == ErrorCode::unsupported);
  }
}

TEST_CASE(
    "amplification: a file of zeros behind a header is no profile, and is soon seen to be none") {
  const fs::path folder = fresh_directory("gmon-zeros");
  const fs::path path = write(folder / "gmon.out", header_alone(), largest_profile);
  const auto file = InputFile::open(path);
  REQUIRE(file);
  const auto identity = identify_gmon_file(*file);
  REQUIRE_FALSE(identity);
  CHECK_THAT(identity.error().message, Catch::Contains("histograms without bins"));
}

TEST_CASE("amplification: of a profile that is identified, bins are not read") {
  const fs::path folder = fresh_directory("gmon-bins");
  const auto bytes_read = [&](std::uint32_t bins) {
    const auto beginning = histogram_header(bins);
    const auto identity =
        identity_of(write(folder / "gmon.out", beginning, beginning.size() + 2ULL * bins));
    REQUIRE(identity);
    CHECK(identity->histogram_range->high.value == 0x400000 + 4ULL * bins);
    return identity->bytes_read;
  };
  const std::uint64_t once = bytes_read(50'000'000);
  CHECK(once > 0);
  CHECK(bytes_read(100'000'000) <= once);
}

TEST_CASE("amplification: looking at arcs takes as many bytes as they have") {
  const fs::path folder = fresh_directory("gmon-arcs");
  const auto bytes_read = [&](std::size_t arcs) {
    GmonBytes bytes({});
    append_gnu_header(bytes, 1, std::nullopt);
    for (std::size_t i = 0; i < arcs; ++i) append_gnu_arc(bytes, {1, 2, 3});
    const auto identity = identity_of(write(folder / "gmon.out", bytes.bytes()));
    REQUIRE(identity);
    return identity->bytes_read;
  };
  const std::uint64_t once = bytes_read(50'000);
  CHECK(bytes_read(100'000) <= 2 * once + 4 * WindowReader::window_size);
}

TEST_CASE("gmon: a file is identified by its records as it is by its bytes") {
  const fs::path folder = fresh_directory("gmon-looked-at");
  for (const GmonDescription& description : all_samples()) {
    const auto whole = build_gmon(description);
    for (std::size_t size = whole.size() % 7; size <= whole.size(); size += 7) {
      const std::vector<std::byte> bytes(whole.begin(),
                                         whole.begin() + static_cast<std::ptrdiff_t>(size));
      const fs::path path = write(folder / "gmon.out", bytes);
      const auto by_bytes = identify_gmon(bytes, path.string());
      const auto by_file = identity_of(path);
      REQUIRE(by_file.has_value() == by_bytes.has_value());
      if (!by_file) {
        CHECK(by_file.error() == by_bytes.error());
        continue;
      }
      CHECK(by_file->histogram_range == by_bytes->histogram_range);
      CHECK(by_file->build_id_prefix == by_bytes->build_id_prefix);
      CHECK(by_file->layout.pointer_width == by_bytes->layout.pointer_width);
      CHECK(by_file->layout.byte_order == by_bytes->layout.byte_order);
    }
  }
}
