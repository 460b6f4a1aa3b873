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

TEST_CASE("static functions with one name are distinguished by file, line or instruction") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const auto folder = fresh_directory("import-one-name");
  for (const std::string name : {"a", "b"}) {
    write_file(folder / (name + ".c"),
               "#include \"shared.h\"\n"
               "static int helper(int n) {\n  return n * 3 + 1;\n}\n"
               "int from_" +
                   name + "(int n) {\n  return helper(n) + shared(n);\n}\n");
  }
  write_file(folder / "shared.h", "static int shared(int n) {\n  return n + 7;\n}\n");
  write_file(folder / "main.c",
             "int from_a(int n);\nint from_b(int n);\n"
             "int main(void) {\n  return from_a(1) + from_b(2);\n}\n");
  run_or_fail({"gcc", "-g", "-O0", "main.c", "a.c", "b.c", "-o", "prog"}, folder);
  const auto program = Program::open(folder / "prog");
  REQUIRE(program);
  const SymbolTable& symbols = (*program)->symbols();
  const auto called = [&](std::string_view name) {
    std::vector<SymbolIndex> found;
    for (SymbolIndex i = 0; i < symbols.size(); ++i) {
      if (symbols[i].name == name) found.push_back(i);
    }
    return found;
  };
  const auto helpers = called("helper");
  const auto shared = called("shared");
  REQUIRE(helpers.size() == 2);
  REQUIRE(shared.size() == 2);
  const std::string at = folder.string();
  const auto analysed = [&](const std::string& text) {
    write_file(folder / "callgrind.out.1", text);
    AnalysisRequest request;
    request.executable = folder / "prog";
    request.profiles = {folder / "callgrind.out.1"};
    auto snapshot = analyse(request);
    if (!snapshot) FAIL(describe(snapshot.error()));
    CHECK((*snapshot)->warnings().empty());
    return *snapshot;
  };
  // The callee's file is the caller's, where none is given.
  const auto by_file = analysed("events: Ir\nob=prog\nfl=" + at +
                                "/b.c\nfn=helper\n3 50\nfn=from_b\n6 5\ncfn=helper\n"
                                "calls=1 2\n6 50\nfl=" +
                                at + "/a.c\nfn=helper\n3 7\nfn=from_a\n6 5\ncfi=" + at +
                                "/a.c\ncfn=helper\ncalls=2 2\n6 7\n");
  const FunctionCosts& costs = by_file->profile();
  CHECK(costs.self(helpers[0]) + costs.self(helpers[1]) == 57);
  const SymbolIndex in_b = costs.self(helpers[0]) == 50 ? helpers[0] : helpers[1];
  const SymbolIndex in_a = in_b == helpers[0] ? helpers[1] : helpers[0];
  CHECK(costs.self(in_a) == 7);
  const SymbolIndex from_a = called("from_a").front();
  const SymbolIndex from_b = called("from_b").front();
  CHECK(symbols[in_a].address < symbols[from_a].address);
  CHECK(by_file->measured().arc(from_a, in_a) == 7);
  CHECK(by_file->measured().arc(from_b, in_b) == 50);

  // Both are compiled from one header: only addresses tell which one ran.
  const auto by_address =
      analysed(fmt::format("positions: instr line\nevents: "
                           "Ir\nob=prog\nfl={0}/shared.h\nfn=shared\n{1:#x} 2 30\n{2:#x} 2 4\n"
                           "fl={0}/b.c\nfn=from_b\n{3:#x} 6 "
                           "5\ncfi={0}/shared.h\ncfn=shared\ncalls=1 {2:#x} 1\n{3:#x} 6 4\n",
                           at, symbols[shared[0]].address.value, symbols[shared[1]].address.value,
                           symbols[from_b].address.value));
  CHECK(by_address->profile().self(shared[0]) == 30);
  CHECK(by_address->profile().self(shared[1]) == 4);
  CHECK(by_address->measured().arc(from_b, shared[1]) == 4);
}

TEST_CASE("callgrind's functions that are separated by their callers are one") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const Imported imported("import-separate-callers");
  const std::string program = imported.built.program.string();
  imported.write("events: Ir\nob=" + program + "\nfl=" + imported.built.folder.string() +
                 "/prog.c\nfn=leaf'main\n2 50\ncfn=leaf'leaf\ncalls=1 2\n2 27\n"
                 "fn=leaf'leaf\n2 20\ncfn=leaf'main'2\ncalls=1 2\n2 7\nfn=leaf'main'2\n2 7\n"
                 "fn=main\n5 3\ncfn=leaf'main\ncalls=4 2\n5 77\n");
  const auto snapshot = imported.snapshot();
  const SymbolIndex leaf = imported.symbol("leaf");
  CHECK(snapshot->profile().self(leaf) == 77);
  CHECK(snapshot->measured().total(leaf) == 77);
  CHECK(snapshot->measured().arc(imported.symbol("main"), leaf) == 77);
  CHECK(snapshot->warnings().empty());
}

TEST_CASE("cachegrind's own files are read") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const Imported imported("import-cachegrind");
  imported.write(
      "desc: I1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./prog 5\nevents: Ir I1mr\n"
      "fl=" +
      imported.built.folder.string() + "/prog.c\nfn=leaf\n2 50 1\nfn=main\n5 7 0\nsummary: 57 1\n");
  const auto snapshot = imported.snapshot();
  CHECK(snapshot->profile().self(imported.symbol("leaf")) == 50);
  CHECK(snapshot->profile().self(imported.symbol("main")) == 7);
}

TEST_CASE("a part of callgrind's run may have no costs of the program") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const Imported imported("import-parts");
  imported.write(imported.callgrind());
  write_file(imported.built.folder / "loader",
             "events: Ir\nob=/lib/ld.so\nfl=rtld.c\nfn=_dl_start\n1 1000\n");
  AnalysisRequest request;
  request.executable = imported.built.program;
  request.profiles = {imported.built.folder / "loader", imported.file};
  const auto snapshot = analyse(request);
  REQUIRE(snapshot);
  CHECK((*snapshot)->profile().self(imported.symbol("leaf")) == 50);
  const auto warnings = (*snapshot)->warnings();
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0].message, Contains("no costs of functions"));
  request.profiles = {imported.built.folder / "loader"};
  const auto nothing = analyse(request);
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().code == ErrorCode::mismatch);
}

TEST_CASE("packed profiles are read as they are") {
  if (!gprof::test::have_programs({"gcc", "gzip", "xz"})) return;
  const Imported imported("import-packed");
  write_file(imported.built.folder / "costs", imported.callgrind());
  run_or_fail({"gzip", "costs"}, imported.built.folder);
  write_file(imported.built.folder / "stacks", "main;leaf 5\nmain 2\n");
  run_or_fail({"xz", "stacks"}, imported.built.folder);
  const auto self_of_leaf = [&](const char* name) {
    AnalysisRequest request;
    request.executable = imported.built.program;
    request.profiles = {imported.built.folder / name};
    const auto snapshot = analyse(request);
    if (!snapshot) FAIL(describe(snapshot.error()));
    return (*snapshot)->profile().self(imported.symbol("leaf"));
  };
  CHECK(self_of_leaf("costs.gz") == 50);
  CHECK(self_of_leaf("stacks.xz") == 5);
  // Its offset is one of the unpacked bytes.
  write_file(imported.built.folder / "damaged", "events: Ir\nfn=leaf\n2 x\n");
  run_or_fail({"gzip", "damaged"}, imported.built.folder);
  Warnings warnings;
  const auto damaged =
      read_profile_file(imported.built.folder / "damaged.gz", *imported.program, warnings);
  REQUIRE_FALSE(damaged);
  CHECK_FALSE(damaged.error().offset);
  CHECK_THAT(damaged.error().message, Contains("(at byte 19 once unpacked)"));
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

TEST_CASE("what cannot be read is called what it is, with the formats that can") {
  if (!gprof::test::have_programs({"gcc"})) return;
  Imported imported("import-unknown");
  const auto message_of = [&](const std::string& bytes) {
    imported.write(bytes);
    return imported.error().message;
  };
  std::string junk;
  for (int i = 0; i < 4000; ++i) junk += static_cast<char>(i * i * 37 + 11);
  CHECK_THAT(message_of(junk), Contains("not a profile in a known format") &&
                                   Contains("supported are gmon files, perf.data"));
  CHECK_THAT(message_of(""), Contains("is empty"));
  CHECK_THAT(message_of("ab"), Contains("this text is in no known format") &&
                                   Contains("supported are gmon files, perf.data"));
  CHECK_THAT(message_of("PERFFILE" + std::string(200, '\0')), Contains("before Linux 3.5"));
  // The ellipsis has no zero in UTF-16.
  std::string utf16 = "\xff\xfe";
  for (const char letter : std::string("main;work;leaf 12\nmain;")) (utf16 += letter) += '\0';
  for (int i = 0; i < 5; ++i) utf16 += "\x26\x20";
  CHECK_THAT(message_of(utf16), Contains("UTF-16"));
  std::string elf =
      "\x7f"
      "ELF" +
      std::string(100, '\1');
  CHECK_THAT(message_of(elf), Contains("name the executable first") && !Contains("supported are"));
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
