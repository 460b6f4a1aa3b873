// What tests of sidecars have in common: writing one, damaging its bytes, reading them.
//
// Thread contract: pure functions; they report to the test that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/gmon/sidecar.h"
#include "tests/support/live_builder.h"
#include "tests/support/test_seed.h"

namespace gprof::test {

[[nodiscard]] inline std::vector<std::byte> written(const Sidecar& sidecar) {
  auto bytes = write_sidecar(sidecar);
  REQUIRE(bytes);
  return *bytes;
}

// Which says where.
[[nodiscard]] inline Error read_error(const std::vector<std::byte>& bytes) {
  const auto sidecar = read_sidecar(bytes, "gmon.out.gpx");
  REQUIRE_FALSE(sidecar);
  CHECK(sidecar.error().path == "gmon.out.gpx");
  CHECK_FALSE(sidecar.error().message.empty());
  REQUIRE(sidecar.error().offset);
  return sidecar.error();
}

[[nodiscard]] inline SidecarSection& section_of(std::vector<SidecarSection>& sections,
                                                std::uint32_t kind) {
  for (SidecarSection& section : sections) {
    if (section.kind == kind) return section;
  }
  FAIL("no section of kind " << kind);
  return sections.front();
}

// Bytes changed by chance, under a right checksum, are an error or another sidecar: all references
// in it are valid, so it can be written, and reads back the same. `compare`: what of both is.
template <typename Compare>
void check_damage(const std::vector<std::byte>& bytes, std::uint32_t seed, Compare compare) {
  std::mt19937 random(test_seed(seed));
  int errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = bytes;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const std::size_t place = 64 + random() % (damaged.size() - 64);
      constexpr unsigned telling[] = {0, 1, 3, 0x7f, 0x80, 0xff};
      damaged[place] = static_cast<std::byte>(telling[random() % std::size(telling)]);
    }
    repair_sidecar(damaged);
    const auto read = read_sidecar(damaged, "gmon.out.gpx");
    if (!read) {
      ++errors;
      if (!read.error().offset || *read.error().offset > damaged.size()) {
        FAIL("an error says where: " << read.error().message);
      }
      continue;
    }
    const auto again = write_sidecar(*read);
    if (!again) FAIL(again.error().message);
    const auto reread = read_sidecar(*again, "gmon.out.gpx");
    if (!reread) FAIL(reread.error().message);
    compare(*reread, *read);
  }
  CHECK(errors > 100);
}

}  // namespace gprof::test
