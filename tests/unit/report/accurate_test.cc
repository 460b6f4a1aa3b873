// --accurate: the editor's way of counting in gprof's reports.
#include "engine/gmon/sidecar.h"
#include "tests/support/files.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

ProgramOnDisk program(const std::string& name) {
  ProgramOnDisk made(name,
                     {{"whole", at(0)},
                      {"whole.cold", at(1), STB_LOCAL},
                      {"whole.part.0", at(2), STB_LOCAL},
                      {"odd$name", at(3), STB_LOCAL},
                      {"last", at(4)}},
                     8 * function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(8), {1, 2, 3, 4, 5, 6, 7, 8}, 1, "seconds", 's', {}}};
  profile.arcs = {{0, at(0), 6}, {at(0) + 8, at(2), 3}, {at(4) + 8, at(0), 2}};
  made.add_profile(profile);
  made.request.accurate = true;
  return made;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("accurate: clones, odd names and unknown code have rows") {
  ProgramOnDisk made = program("report_accurate");
  made.request.kinds.insert(ReportKind::flat_profile);
  const std::string text = made.report().text;
  CHECK(contains(text, " 58.33     21.00    21.00                             <unknown code>\n"));
  CHECK(contains(text, "     5.00                             last\n"));
  CHECK(contains(text, "     4.00                             odd$name\n"));
  CHECK(contains(text, "     3.00        3     1.00     1.00  whole [.part.0]\n"));
  CHECK(contains(text, "     2.00                             whole [.cold]\n"));
  CHECK(contains(text, "36.00     1.00        8"));
}

TEST_CASE("accurate: without it the neighbour gets what its clones took") {
  ProgramOnDisk made = program("report_not_accurate");
  made.request.accurate = false;
  made.request.kinds.insert(ReportKind::flat_profile);
  const std::string text = made.report().text;
  CHECK(contains(text, "    10.00        2     "));
  CHECK_FALSE(contains(text, "unknown"));
  CHECK_FALSE(contains(text, "["));
}

TEST_CASE("accurate: calls from nowhere known are spontaneous") {
  ProgramOnDisk made = program("report_accurate_spontaneous");
  made.request.kinds.insert(ReportKind::call_graph);
  const std::string text = made.report().text;
  CHECK(contains(text, "       6/8           <spontaneous>\n"));
  CHECK(contains(text, "       2/8           last ["));
}

TEST_CASE("accurate: unknown code is neither executed nor ordered") {
  const ReportKind kind = GENERATE(ReportKind::execution_counts, ReportKind::function_ordering);
  ProgramOnDisk made = program("report_accurate_counts");
  made.request.kinds.insert(kind);
  made.request.show_unused = true;
  CHECK_FALSE(contains(made.report().text, "unknown code"));
}

TEST_CASE("accurate: symbols from elsewhere are counted as they are") {
  ProgramOnDisk made = program("report_accurate_symbols");
  const std::string list = made.request.executable + ".symbols";
  write_file(list, "0000000000001000 T alone\n");
  made.request.external_symbols = list;
  const std::string text = made.report().text;
  CHECK(contains(text, "  alone"));
  CHECK_FALSE(contains(text, "whole"));
}

TEST_CASE("accurate: a sum holds the calls whose callers are known") {
  ProgramOnDisk made = program("report_accurate_sum");
  made.request.kinds.insert(ReportKind::summary_file);
  made.request.by_line = true;
  const ReportOutput output = made.report();
  REQUIRE(output.files.size() == 1);
  const auto sum = read_gmon(std::as_bytes(std::span(output.files[0].contents)), "gmon.sum", {});
  REQUIRE(sum);
  CHECK(sum->arcs.size() == 2);
}

TEST_CASE("accurate: functions of libraries have rows") {
  ProgramOnDisk made("report_accurate_libraries", {{"alone", at(0)}}, function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(1), {5}, 1, "seconds", 's', {}}};
  made.add_profile(profile);
  const std::string library = made.request.executable + ".so.1";
  ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64, ET_DYN);
  const std::uint32_t text = elf.add_text(0x1000, std::vector<std::byte>(0x100));
  elf.add_build_id("\x1a");
  elf.add_symbol("_ZN3box4growEm", 0x1000, 0x40, STB_GLOBAL, STT_FUNC, text);
  write_file(library, elf.build());
  Sidecar sidecar;
  sidecar.modules.resize(3);
  sidecar.modules[0].path = made.request.executable;
  sidecar.modules[0].file = "gmon.0";
  sidecar.modules[1].path = library;
  sidecar.modules[1].build_id = "1a";
  sidecar.modules[2].path = "/opt/libgprof_runtime.so";
  sidecar.samples = {{{0, {at(0)}}, 5, 0},
                     {{1, {0x1000}}, 10, 0},
                     {{1, {0x1080}}, 3, 0},
                     {{2, {0x1000}}, 7, 0},
                     {{no_module, {0x10}}, 2, 0}};
  const auto bytes = write_sidecar(sidecar);
  REQUIRE(bytes);
  write_file(made.request.profiles.front() + ".gpx", *bytes);
  made.request.accurate = true;
  made.request.kinds.insert(ReportKind::flat_profile);
  const std::string rows =
      " 50.00     10.00    10.00                             box::grow(unsigned long) "
      "[program.so.1]\n"
      " 25.00     15.00     5.00                             alone\n"
      " 15.00     18.00     3.00                             [program.so.1]\n"
      " 10.00     20.00     2.00                             [unknown]\n";
  CHECK(contains(made.report().text, rows));
  made.request.demangle = std::nullopt;
  CHECK(contains(made.report().text, "  _ZN3box4growEm [program.so.1]\n"));
  made.request.show_errors = true;
  CHECK(contains(made.report().text, " 50.00     10.00    10.00   +-3.16 "));
  // Of a part of the program, and in GNU gprof's reports, they have none.
  made.request.show_errors = false;
  made.request.accurate = false;
  CHECK_FALSE(contains(made.report().text, "[program.so.1]"));
  made.request.accurate = true;
  made.request.symspecs.push_back({SymspecList::include_flat, "alone"});
  CHECK_FALSE(contains(made.report().text, "[program.so.1]"));
}
