#include "engine/gmon/beginning.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;

bool may_begin(std::span<const std::byte> bytes,
               GmonFormatChoice choice = GmonFormatChoice::automatic) {
  return !fault_of_beginning(bytes, "standard input", choice, most_bytes);
}

}  // namespace

TEST_CASE("gmon: every beginning of a profile may be one") {
  constexpr std::size_t first_looked_at = 64;
  for (GmonDescription description : all_samples()) {
    description.histograms[0].low = 0x400000;
    description.histograms[0].high = 0x400400;
    description.histograms[0].bins.assign(256, 3);
    const std::vector<std::byte> bytes = build_gmon(description);
    CAPTURE(static_cast<int>(description.format),
            static_cast<int>(description.layout.pointer_width),
            static_cast<int>(description.layout.byte_order));
    for (std::size_t size = first_looked_at; size <= bytes.size(); ++size) {
      CAPTURE(size);
      CHECK(may_begin(std::span(bytes).first(size)));
    }
  }
}

TEST_CASE("gmon: what can be no profile is known by its beginning") {
  constexpr std::size_t size = 4096;
  CHECK_FALSE(may_begin(std::vector<std::byte>(size)));
  CHECK_FALSE(may_begin(std::vector<std::byte>(size, std::byte{'y'})));
  std::vector<std::byte> unknown_tag(size, std::byte{0x77});
  const std::array<char, 8> header = {'g', 'm', 'o', 'n', 1, 0, 0, 0};
  for (std::size_t i = 0; i < header.size(); ++i) {
    unknown_tag[i] = static_cast<std::byte>(header[i]);
  }
  CHECK_FALSE(may_begin(unknown_tag));
  // It announces more than may be held.
  std::vector<std::byte> large(size);
  large[8] = std::byte{1};
  for (std::size_t i = 16; i < 20; ++i) large[i] = std::byte{0xff};
  CHECK_FALSE(may_begin(large));
  CHECK_FALSE(may_begin(std::vector<std::byte>(size), GmonFormatChoice::gnu));
}
