// Other tools' texts made to be expensive: what is made of one grows only as fast as the text. Work
// is counted in bytes of names, lines queried, and frames.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/import/callgrind.h"
#include "engine/import/callgrind_parser.h"
#include "engine/import/converted_profile.h"
#include "engine/import/perf_script.h"
#include "engine/program.h"
#include "engine/support/limits.h"
#include "tests/unit/server/counting_program.h"

using namespace gprof;
using gprof::test::CountingProgram;

TEST_CASE("amplification: costs of a function with a long name do not each have all of it") {
  const auto bytes_of_names = [](std::size_t costs, std::size_t name_size) {
    std::string text =
        "# callgrind format\nevents: Ir\nfn=(1) " + std::string(name_size, 'n') + "\n";
    for (std::size_t i = 0; i < costs; ++i) text += "fn=(1)\n+1 1\n";
    const std::string path = "callgrind.out";
    CallgrindParser parser(text, path);
    std::size_t bytes = 0;
    CHECK(parser.parse([&](const CallgrindCost& cost) { bytes += cost.place.function.size(); }));
    return bytes;
  };
  CHECK(bytes_of_names(10, 20'000) == 200'000);
  const std::size_t once = bytes_of_names(500, 200'000);
  CHECK(once > 0);
  CHECK(bytes_of_names(1000, 400'000) <= 2 * once);
}

TEST_CASE("amplification: lines that a function has not are not looked for with each cost") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const CountingProgram built("import-amplification");
  const auto program = Program::open(built.program);
  REQUIRE(program);
  const auto times_asked = [&](int costs) {
    std::string text = "# callgrind format\nevents: Ir\nfn=leaf\n";
    for (int i = 0; i < costs; ++i) text += fmt::format("fi=file{}\n{} 1\n", i, i);
    int asked = 0;
    const ImportTarget target{(*program)->symbols(), (*program)->code(), (*program)->image().path(),
                              [&](SymbolIndex, std::string_view) {
                                ++asked;
                                return std::vector<LineCode>();
                              }};
    Warnings warnings;
    CHECK(read_callgrind(text, "callgrind.out", target, warnings));
    return asked;
  };
  const int once = times_asked(1000);
  CHECK(once > 0);
  CHECK(times_asked(2000) <= 2 * once);
  CHECK(once < 100);
}

TEST_CASE("amplification: a sample has no more frames than a sample of any program") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const CountingProgram built("import-amplification-frames");
  const auto program = Program::open(built.program);
  REQUIRE(program);
  const auto frames_of = [&](std::size_t lines) {
    std::string text = "prog 1 1.0: 1 cycles:\n";
    for (std::size_t i = 0; i < lines; ++i) text += "\t1000 leaf+0x1 (prog)\n";
    text += "\t1000 _start+0x1 (prog)\n";
    const ImportTarget target{
        (*program)->symbols(), (*program)->code(), (*program)->image().path(),
        [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
    Warnings warnings;
    const auto imported = read_converted(read_perf_script, text, "perf.txt", target, warnings);
    REQUIRE(imported);
    std::size_t frames = 0;
    if (imported->sidecar) {
      for (const SidecarStack& stack : imported->sidecar->stacks) frames += stack.frames.size();
    }
    return frames;
  };
  CHECK(frames_of(100) == 101);
  CHECK(frames_of(100'000) <= 4096);
}
