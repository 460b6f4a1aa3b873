// Names of functions of other modules: of the very build that was loaded, or none.
#include "engine/analysis/external_functions.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "engine/analysis/collected_samples.h"
#include "engine/analysis/stack_samples.h"
#include "tests/support/elf_builder.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint32_t own = 0;
constexpr std::uint32_t library = 1;

// A run of a program that calls `outer`, which calls `inner`, in a library of 0x200 bytes.
class Run {
 public:
  explicit Run(const std::string& test_name, std::string_view build_id = "\x1a\x2b") {
    directory = fresh_directory(test_name);
    write_library("libwork.so", build_id);
    sidecar.modules.resize(2);
    sidecar.modules[own].path = "/bin/program";
    sidecar.modules[library].path = (directory / "libwork.so").string();
    sidecar.modules[library].build_id = build_id.empty() ? "" : "1a2b";
    sidecar.samples = {{{own, {0x1000}}, 4, 0},
                       {{library, {0x1010}}, 2, 0},
                       {{library, {0x1110}}, 3, 0},
                       {{library, {0x11f0}}, 1, 0}};
    // The return address in `outer` is the first byte after it.
    sidecar.stacks = {{3, false, {{library, {0x1110}}, {library, {0x1080}}, {own, {0x1008}}}}};
  }

  void write_library(const std::string& name, std::string_view build_id) const {
    ElfBuilder builder(PointerWidth::eight, ByteOrder::little, EM_X86_64, ET_DYN);
    const std::uint32_t text = builder.add_text(0x1000, std::vector<std::byte>(0x200));
    if (!build_id.empty()) builder.add_build_id(build_id);
    builder.add_symbol("outer", 0x1000, 0x80, STB_GLOBAL, STT_FUNC, text);
    builder.add_symbol("inner", 0x1100, 0x80, STB_LOCAL, STT_FUNC, text);
    write_file(directory / name, builder.build());
  }

  [[nodiscard]] ExternalFunctions functions() const {
    return {sidecar, {true, false}, DebugFileSearch{{directory / "debug"}}};
  }
  [[nodiscard]] std::string inner() const {
    return std::string(functions().name_at(library, {0x1110}));
  }

  std::filesystem::path directory;
  Sidecar sidecar;
};

}  // namespace

TEST_CASE("external functions: samples and stacks are named by the library that was loaded") {
  const Run run("external_functions");
  const ExternalFunctions functions = run.functions();
  CHECK(functions.name_at(library, {0x1010}) == "outer");
  CHECK(functions.name_at(library, {0x1110}) == "inner");
  CHECK(functions.name_at(library, {0x107f}) == "outer");
  // Between the functions, where nothing was sampled, in the program, and in no module.
  CHECK(functions.name_at(library, {0x11f0}).empty());
  CHECK(functions.name_at(library, {0x1020}).empty());
  CHECK(functions.name_at(own, {0x1000}).empty());
  CHECK(functions.name_at(no_module, {0x1010}).empty());
}

TEST_CASE("external functions: a library of another build has no names") {
  Run run("external_functions_rebuilt");
  REQUIRE(run.inner() == "inner");
  run.write_library("libwork.so", "\x1a\x2c");
  CHECK(run.inner().empty());
  run.write_library("libwork.so", "");
  CHECK(run.inner().empty());
  std::filesystem::remove(run.directory / "libwork.so");
  CHECK(run.inner().empty());
}

TEST_CASE("external functions: without a build-id the library must be as old as the run") {
  Run run("external_functions_dated", "");
  CHECK(run.inner().empty());
  const auto written = std::filesystem::last_write_time(run.directory / "libwork.so");
  const auto since = std::chrono::file_clock::to_sys(written).time_since_epoch();
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  run.sidecar.process.end_time = static_cast<std::uint64_t>(nanoseconds) + 1'000'000'000;
  CHECK(run.inner() == "inner");
  run.sidecar.process.end_time = static_cast<std::uint64_t>(nanoseconds) - 1'000'000'000;
  CHECK(run.inner().empty());
  // A file that has one is not the one that had none.
  run.sidecar.process.end_time = static_cast<std::uint64_t>(nanoseconds) + 1'000'000'000;
  run.write_library("libwork.so", "\x1a\x2b");
  CHECK(run.inner().empty());
}

TEST_CASE("external functions: nothing is read of the collector, of what is no path, and damaged") {
  Run run("external_functions_unread");
  std::filesystem::copy_file(run.directory / "libwork.so", run.directory / "libgprof_runtime.so");
  run.sidecar.modules[library].path = (run.directory / "libgprof_runtime.so").string();
  CHECK(run.inner().empty());
  run.sidecar.modules[library].path = "libwork.so";
  CHECK(run.inner().empty());
  const std::string whole = read_file(run.directory / "libwork.so");
  run.sidecar.modules[library].path = (run.directory / "damaged.so").string();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    write_file(run.directory / "damaged.so", std::string_view(whole).substr(0, size));
    const std::string name = run.inner();
    CHECK((name.empty() || name == "inner"));
  }
}

TEST_CASE("external functions: samples are counted by function, and sums hold") {
  const Run run("external_functions_samples");
  CollectedSamples collected;
  collected.add(run.sidecar, {true, false}, 4, run.functions());
  collected.add(run.sidecar, {true, false}, 4, run.functions());
  std::string text;
  Ticks sum = 0;
  for (const ModuleSamples& module : collected.elsewhere()) {
    text += module.function + " " + module.name + " " + std::to_string(std::lround(module.ticks)) +
            "\n";
    sum += module.ticks;
  }
  CHECK(text == "inner libwork.so 6\nouter libwork.so 4\n libwork.so 2\n");
  CHECK(sum == 12);
}

TEST_CASE("external functions: stacks have them, at the last byte of calls") {
  const Run run("external_functions_stacks");
  StackSamples stacks;
  stacks.add(run.sidecar, {true, false}, SymbolTable(), run.functions());
  REQUIRE(stacks.size() == 1);
  const auto frames = stacks[0].frames;
  REQUIRE(frames.size() == 3);
  CHECK(stacks.external_code(frames[0].module) == ExternalCode{"libwork.so", "inner"});
  CHECK(stacks.external_code(frames[1].module) == ExternalCode{"libwork.so", "outer"});
  CHECK(frames[2].module == StackSamples::own_module);
  CHECK(stacks.find({"libwork.so", ""}));
  CHECK_FALSE(stacks.find({"libwork.so", "absent"}));
  CHECK_FALSE(stacks.find({"", ""}));
}
