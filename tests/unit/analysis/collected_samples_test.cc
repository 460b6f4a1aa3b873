// Which samples were taken in other modules' code: none is lost or counted twice.
#include "engine/analysis/collected_samples.h"

#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

Sidecar sidecar_of(std::vector<SidecarSample> samples) {
  Sidecar sidecar;
  for (const char* path : {"/bin/prog", "/lib/libc.so.6", "/opt/libgprof_runtime.so"}) {
    SidecarModule module;
    module.path = path;
    sidecar.modules.push_back(module);
  }
  sidecar.samples = std::move(samples);
  return sidecar;
}

Ticks sum(const CollectedSamples& collected) {
  const auto modules = collected.elsewhere();
  return std::accumulate(modules.begin(), modules.end(), Ticks{0},
                         [](Ticks all, const ModuleSamples& module) { return all + module.ticks; });
}

const ModuleSamples* find(const CollectedSamples& collected, std::string_view name) {
  for (const ModuleSamples& module : collected.elsewhere()) {
    if (module.name == name) return &module;
  }
  return nullptr;
}

const std::vector<bool> executable = {true, false, false};

}  // namespace

TEST_CASE("collected samples: those elsewhere are told by module, the collector's as such") {
  CollectedSamples collected;
  const Sidecar sidecar = sidecar_of(
      {{{0, {16}}, 60}, {{1, {16}}, 5}, {{1, {32}}, 6}, {{2, {16}}, 40}, {{no_module, {0}}, 2}});
  collected.add(sidecar, executable, 60);
  collected.add(sidecar, executable, 60);
  REQUIRE(collected.elsewhere().size() == 3);
  CHECK(collected.elsewhere().front().name == "libgprof_runtime.so");
  CHECK(collected.elsewhere().front().collector);
  CHECK(collected.elsewhere().front().ticks == 80);
  CHECK(find(collected, "libc.so.6")->ticks == 22);
  CHECK_FALSE(find(collected, "libc.so.6")->collector);
  CHECK(find(collected, "")->ticks == 4);
  SampleErrors all;
  all.add(226);
  CHECK(collected.errors() == all);
}

TEST_CASE("collected samples: of the own code, what no bin holds is not lost") {
  CollectedSamples collected;
  collected.add(sidecar_of({{{0, {16}}, 60}, {{1, {16}}, 10}}), executable, 55);
  CHECK(find(collected, "")->ticks == 5);
  CHECK(sum(collected) + 55 == 70);
}

TEST_CASE("collected samples: errors are those of the own code, whatever other code adds to them") {
  Sidecar sidecar = sidecar_of({{{0, {16}}, 60}, {{1, {16}}, 40, 120}});
  sidecar.process.sampling.excess_variance = 120;
  CollectedSamples collected;
  collected.add(sidecar, executable, 60);
  CHECK(collected.errors().error_of(16) == Approx(4));
  CHECK(collected.errors().of_all_code().error_of(16) == Approx(std::sqrt(16 * (1 + 0.84 * 1.2))));
  // In a library's profile, the own module is the library.
  CollectedSamples of_library;
  of_library.add(sidecar, {false, true, false}, 40);
  CHECK(of_library.errors().error_of(16) == Approx(std::sqrt(16 * (1 + 0.84 * 3))));
  // Files that do not say whose it is: it may belong to anything.
  for (SidecarSample& sample : sidecar.samples) sample.excess_variance = 0;
  CollectedSamples unknown;
  unknown.add(sidecar, executable, 60);
  CHECK(unknown.errors().error_of(16) == Approx(std::sqrt(16 * (1 + 0.84 * 1.2))));
}

TEST_CASE("collected samples: where stacks are all that is known, their inner ends count") {
  Sidecar sidecar = sidecar_of({});
  sidecar.stacks = {
      {7, false, {{0, {16}}, {0, {32}}}}, {3, false, {{1, {16}}, {0, {32}}}}, {1, false, {}}};
  CollectedSamples collected;
  collected.add(sidecar, executable, 7);
  CHECK(find(collected, "libc.so.6")->ticks == 3);
}

TEST_CASE("collected samples: a run without a sidecar adds what its file holds") {
  CollectedSamples collected;
  collected.add(50);
  SampleErrors all;
  all.add(50);
  CHECK(collected.errors() == all);
  CHECK(collected.elsewhere().empty());
}
