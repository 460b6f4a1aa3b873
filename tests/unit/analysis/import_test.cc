// Profiles written by other tools, read for a compiled program.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/analysis.h"
#include "engine/import/callgrind.h"
#include "engine/import/imported_profile.h"
#include "engine/import/perf_script.h"
#include "engine/profile_files.h"
#include "tests/support/files.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::test;
using Catch::Contains;

namespace {

std::string sample(const std::string& frames, const std::string& event = "cpu-clock") {
  return fmt::format("prog tool 12/13 [001] 42.000001:     250000 {}: \n{}\n", event, frames);
}

}  // namespace

TEST_CASE("callgrind's costs are lines' and functions', its calls are arcs, and both are exact") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const Imported imported("import-callgrind");
  imported.write(imported.callgrind());
  const auto snapshot = imported.snapshot();
  const FunctionCosts& profile = snapshot->profile();
  const SymbolIndex leaf = imported.symbol("leaf");
  const SymbolIndex main = imported.symbol("main");
  CHECK(profile.dimension() == "instructions");
  CHECK(profile.dimension_abbreviation() == 'I');
  CHECK(profile.self(leaf) == 50);
  CHECK(profile.self(main) == 18);
  CHECK(profile.counted_calls() == 11);
  const MeasuredTimes& measured = snapshot->measured();
  REQUIRE(measured.known());
  CHECK(measured.counted() != nullptr);
  CHECK(measured.total(leaf) == 50);
  CHECK(measured.total(main) == 68);
  CHECK(measured.arc(main, leaf) == 50);
  const auto callers = measured.callers(std::span(&leaf, 1));
  REQUIRE(callers.size() == 1);
  CHECK(callers[0].caller == main);
  CHECK(callers[0].ticks == 50);
  // The call is at an instruction of its line.
  const auto file = snapshot->sources().files_named("prog.c");
  REQUIRE(file.size() == 1);
  const auto costs = snapshot->source_index().costs(file[0]);
  const LineCost* line = costs->line(5);
  REQUIRE(line != nullptr);
  CHECK(line->self == 11);
  REQUIRE(line->calls.size() == 1);
  CHECK(line->calls[0].count == 10);
}

TEST_CASE("several of callgrind's files add up, and stay exact") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const Imported imported("import-several");
  imported.write(imported.callgrind());
  const auto second = imported.built.folder / "second";
  std::filesystem::copy_file(imported.file, second);
  AnalysisRequest request;
  request.executable = imported.built.program;
  request.profiles = {imported.file, second};
  const auto snapshot = analyse(request);
  REQUIRE(snapshot);
  const SymbolIndex leaf = imported.symbol("leaf");
  const SymbolIndex main = imported.symbol("main");
  const MeasuredTimes& measured = (*snapshot)->measured();
  CHECK((*snapshot)->profile().has_exact_costs());
  CHECK((*snapshot)->profile().self(leaf) == 100);
  CHECK((*snapshot)->profile().counted_calls() == 22);
  REQUIRE(measured.counted() != nullptr);
  CHECK(measured.total(main) == 136);
  CHECK(measured.arc(main, leaf) == 100);
}

TEST_CASE("what callgrind's file has no place for is said") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-unplaced");
  imported.write("version: 1\nevents: Ir\nfl=prog.c\nfn=leaf\n999 4\nfn=gone\n1 3\n");
  const auto read = read_profile_file(imported.file, *imported.program, imported.warnings);
  REQUIRE(read);
  REQUIRE(imported.warnings.size() == 1);
  CHECK(imported.warnings[0].message.find("costs of 3 are in no function") != std::string::npos);
  CHECK(imported.warnings[0].message.find("costs of 4 are on lines") != std::string::npos);
}

TEST_CASE("damaged files of callgrind are refused at a line") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-damaged");
  const std::string start = "version: 1\nevents: Ir\nfn=leaf\n";
  for (const auto& [text, code] : std::vector<std::pair<std::string, ErrorCode>>{
           {start + "2 x\n", ErrorCode::corrupt},
           {start + "+ 5\n", ErrorCode::corrupt},
           {start + "calls=many 2\n2 1\n", ErrorCode::corrupt},
           {"version: 1\nfn=leaf\n2 5\n", ErrorCode::wrong_format},
           {"version: 1\nevents: Ir\nob=/other\nfn=leaf\n2 5\n", ErrorCode::mismatch}}) {
    CAPTURE(text);
    imported.write(text);
    const Error error = imported.error();
    CHECK(error.code == code);
    CHECK(error.path == imported.file.string());
    if (code == ErrorCode::corrupt) CHECK(error.offset == start.size());
  }
}

TEST_CASE(
    "callgrind: jumps name files as well, and a name that is missing costs no more than itself") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-callgrind-names");
  const std::string start = "version: 1\nevents: Ir\nfl=(1) prog.c\nfn=(1) main\n3 7\n";
  imported.write(start + "jfi=(2) part.h\njump=1 4\n3\nfi=(2)\n4 11\nfn=(2) leaf\nfl=(1)\n2 50\n");
  CHECK(imported.snapshot()->profile().self(imported.symbol("main")) == 18);
  imported.write(start + "fn=(77)\n2 5\n");
  const auto read = read_profile_file(imported.file, *imported.program, imported.warnings);
  REQUIRE(read);
  REQUIRE_FALSE(imported.warnings.empty());
  CHECK(imported.warnings[0].message.find("does not define 1 of its names") != std::string::npos);
}

TEST_CASE("samples of perf script become times, its call chains are measured") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const Imported imported("import-perf");
  constexpr std::uint64_t bias = 0x5500'0000'0000;
  const std::string outer =
      fmt::format("\t{:x} main+0x10 ({})\n\t7f00 __libc_start_main+0x80 (/lib/libc.so.6)\n",
                  imported.address("main") + bias + 0x10, imported.built.program.string());
  const std::string leaf =
      fmt::format("\t{0:x} small (inlined)\n\t{0:x} leaf+0x4 ({1})\n",
                  imported.address("leaf") + bias + 4, imported.built.program.string());
  const std::string unknown =
      fmt::format("\t{:x} [unknown] ({})\n", imported.address("leaf") + bias + 6,
                  imported.built.program.string());
  const std::string copy = "\t7f99 memcpy+0x9 (/lib/libc.so.6)\n";
  imported.write("# captured on: today\n" + sample(leaf + outer) + sample(leaf + outer) +
                 sample(unknown + outer) + sample(copy + outer) + sample(outer));
  const auto snapshot = imported.snapshot();
  const SymbolIndex main = imported.symbol("main");
  CHECK(snapshot->profile().dimension() == "seconds");
  CHECK(snapshot->profile().ticks_per_second() == 4000);
  CHECK(snapshot->profile().self(imported.symbol("leaf")) == 3);
  CHECK(snapshot->profile().self(main) == 1);
  REQUIRE(snapshot->measured().known());
  CHECK(snapshot->measured().counted() == nullptr);
  CHECK(snapshot->measured().total(main) == 5);
  CHECK(snapshot->measured().arc(main, imported.symbol("leaf")) == 3);
  CHECK(snapshot->measured().external_below(std::span(&main, 1)) == 1);
}

TEST_CASE("a profile whose samples are all in libraries has the program's total times") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-libraries");
  imported.write("main;leaf;memcpy 12\nmain;strlen 7\n");
  const auto snapshot = imported.snapshot();
  CHECK(snapshot->measured().total(imported.symbol("main")) == 19);
  CHECK(snapshot->measured().total(imported.symbol("leaf")) == 12);
  CHECK(snapshot->profile().self(imported.symbol("leaf")) == 0);
}

TEST_CASE("samples of a counter without call chains") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-perf-kinds");
  const std::string line = fmt::format("prog 12 42.5: {} cycles:P: {:x} leaf+0x4 (/moved/prog)\n",
                                       "{}", imported.address("leaf") + 4);
  imported.write(fmt::format(fmt::runtime(line), 100) + fmt::format(fmt::runtime(line), 90));
  const auto read = read_profile_file(imported.file, *imported.program, imported.warnings);
  REQUIRE(read);
  CHECK(read->raw.dimension == "samples");
  REQUIRE(read->sidecar);
  CHECK(read->sidecar->stacks.empty());
  REQUIRE(read->raw.histograms.size() == 1);
  const Histogram& histogram = read->raw.histograms[0];
  const std::uint64_t place = imported.address("leaf") + 4;
  CHECK(histogram.bins[(place - histogram.low.value) / 2] == 2);
  CHECK(imported.warnings.empty());
}

TEST_CASE("call chains that are cut are not taken for whole ones") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-perf-cut");
  imported.write(sample(fmt::format("\t{:x} leaf+0x4 ({})\n", imported.address("leaf") + 4,
                                    imported.built.program.string())));
  const auto read = read_profile_file(imported.file, *imported.program, imported.warnings);
  REQUIRE(read);
  REQUIRE(read->sidecar);
  CHECK(read->sidecar->stacks.empty());
  REQUIRE(imported.warnings.size() == 1);
  CHECK(imported.warnings[0].message.find("1 of 1 call chains") != std::string::npos);
  imported.write(sample("\t7f99 memcpy+0x9 (/lib/libc.so.6)\n"));
  CHECK(imported.error().code == ErrorCode::mismatch);
}

TEST_CASE("texts in unknown formats are refused as texts, not as gmon files of BSD") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-texts");
  const std::string text = "Hello, this is not a profile.\n";
  imported.write(text);
  CHECK_THAT(imported.error().message, Contains("in no known format"));
  std::string utf16;
  for (const char letter : std::string("main;leaf 12\nmain 3\n")) utf16 += {letter, '\0'};
  for (const std::string& mark : {std::string(), std::string("\xff\xfe")}) {
    imported.write(mark + utf16);
    CHECK_THAT(imported.error().message, Contains("UTF-16"));
  }
  imported.write("\xef\xbb\xbfmain;leaf 12\n");
  CHECK(read_profile_file(imported.file, *imported.program, imported.warnings));
  // Addresses of BSD's files may begin with the bytes of a byte order mark.
  imported.write(std::string("\xff\xfe\x40\0\0\0\0\0\0\x10\x41\0\0\0\0\0", 16));
  CHECK_THAT(imported.error().message, !Contains("UTF-16"));
}

TEST_CASE("the content of a text tells what it is") {
  CHECK(is_callgrind("# callgrind format\n"));
  CHECK(is_callgrind("\n# a comment\nevents: Cycles\n"));
  CHECK_FALSE(is_callgrind("version 1\n"));
  CHECK_FALSE(is_callgrind("gmon"));
  CHECK(is_perf_script("# header\n\nmy prog 1/2 [000] 1.5: 9 cycles: \n"));
  CHECK(is_perf_script("prog 1 1.5: cycles:u: 1162 f (/x)\n"));
  CHECK_FALSE(is_perf_script("prog 1 now: cycles: \n"));
  CHECK_FALSE(is_perf_script(std::string_view("prog 1 1.5: 9 cycles: \0", 23)));
  CHECK_FALSE(is_perf_script(""));
}

TEST_CASE("imports: few samples outside every function are no sign of another build") {
  CHECK_THAT(unplaced_samples_text(0.04, "prog"), !Contains("rebuilt"));
  CHECK_THAT(unplaced_samples_text(0.05, "prog"),
             Contains("5.0 % of the samples") && Contains("rebuilt"));
  CHECK_THAT(unplaced_samples_text(1, "prog"), Contains("100.0 % of the samples"));
  CHECK_THAT(unplaced_samples_text(1e-9, "prog"), Contains("a few samples"));
}
