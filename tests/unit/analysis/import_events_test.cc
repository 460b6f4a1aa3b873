// Profiles of other tools that hold several events: each is a metric of its own.
#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/analysis/samples.h"
#include "engine/import/callgrind.h"
#include "engine/import/converted_profile.h"
#include "engine/import/perf_script.h"
#include "tests/support/process.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using Names = std::vector<std::string>;

// Reads texts for a program whose functions have no lines.
struct ImportReader {
  Imported imported;
  Warnings warnings;

  explicit ImportReader(const std::string& name) : imported(name) {}

  [[nodiscard]] ImportTarget target() const {
    return {imported.program->symbols(), imported.program->code(), imported.program->image().path(),
            [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
  }
  ImportedProfile callgrind(const std::string& text) {
    auto read = read_callgrind(text, "callgrind.out", target(), warnings);
    if (!read) FAIL(describe(read.error()));
    return *std::move(read);
  }
  ImportedProfile perf(const std::string& text) {
    auto read = read_converted(read_perf_script, text, "perf.txt", target(), warnings);
    if (!read) FAIL(describe(read.error()));
    return *std::move(read);
  }
};

std::vector<const ImportedProfile*> all_of(const ImportedProfile& profile) {
  std::vector<const ImportedProfile*> all = {&profile};
  for (const ImportedProfile& other : profile.others) all.push_back(&other);
  return all;
}

Names names_of(const ImportedProfile& profile) {
  Names names;
  for (const ImportedProfile* one : all_of(profile)) names.push_back(one->metric.name);
  return names;
}

const ImportedProfile& by(const ImportedProfile& profile, const std::string& name) {
  for (const ImportedProfile* one : all_of(profile)) {
    if (one->metric.name == name) return *one;
  }
  FAIL("no metric " << name);
  return profile;
}

double own_ticks(const ImportedProfile& profile) { return Samples(profile.raw.histograms).total(); }

}  // namespace

TEST_CASE("every event of callgrind's file is a metric with its own costs and the same calls") {
  if (!have_programs({"gcc"})) return;
  ImportReader reader("import-events");
  const ImportedProfile profile = reader.callgrind(
      "# callgrind format\nversion: 1\ncreator: test\npid: 77\ncmd: ./prog\npart: 1\nthread: 2\n"
      "event: Dr : Data Read Access\nevent: Sum = Ir + 2 Dr + 3*D1mr : Weighted\n"
      "event: Twice = 2 Sum\nevent: Bad = Ir - Dr\n"
      "events: Ir Dr D1mr\nfn=(1) leaf\n2 50 9\n3 0 0 4\n"
      "fn=(2) main\n3 7 1 1\ncfn=(1)\ncalls=10 2\n* 50 9 4\nob=/lib/libc.so\nfn=x\n1 5 0 2\n");
  CHECK(names_of(profile) == Names{"Ir", "Dr", "D1mr", "Sum", "Twice"});
  CHECK(profile.metric == Metric{"Ir", "Ir: instructions executed", "instructions",
                                 MetricKind::exact, "exact: counted by callgrind"});
  CHECK(by(profile, "Dr").metric.label == "Dr: Data Read Access");
  CHECK(by(profile, "D1mr").metric.unit == "D1mr");
  CHECK(by(profile, "Sum").metric.label == "Sum: Weighted");
  CHECK(by(profile, "Sum").metric.origin == "exact: counted by callgrind as Ir + 2 Dr + 3*D1mr");
  const SymbolIndex leaf = reader.imported.symbol("leaf");
  const SymbolIndex main = reader.imported.symbol("main");
  const std::map<std::string, std::vector<double>> wanted = {// own, leaf, main, elsewhere, the call
                                                             {"Ir", {57, 50, 57, 5, 50}},
                                                             {"Dr", {10, 9, 10, 0, 9}},
                                                             {"D1mr", {5, 4, 5, 2, 4}},
                                                             {"Sum", {92, 80, 92, 11, 80}},
                                                             {"Twice", {184, 160, 184, 22, 160}}};
  for (const ImportedProfile* one : all_of(profile)) {
    CAPTURE(one->metric.name);
    const std::vector<double>& figures = wanted.at(one->metric.name);
    CHECK(own_ticks(*one) == figures[0]);
    CHECK(one->inclusive.totals.at(leaf) == figures[1]);
    CHECK(one->inclusive.totals.at(main) == figures[2]);
    CHECK(one->inclusive.external == figures[3]);
    CHECK(one->inclusive.unnamed_external() == 0);
    CHECK(one->raw.external_ticks == 0);
    REQUIRE(one->inclusive.calls.size() == 1);
    CHECK(one->inclusive.calls[0].ticks == figures[4]);
    CHECK(one->raw.exact_costs);
    CHECK(one->raw.arcs == profile.raw.arcs);
    CHECK(one->process == 77);
    CHECK(one->thread == 2);
    CHECK(one->others.empty() == (one != &profile));
  }
  REQUIRE(profile.raw.arcs.size() == 1);
  CHECK(profile.raw.arcs[0].count == 10);
  const bool told =
      std::any_of(reader.warnings.begin(), reader.warnings.end(), [](const Error& warning) {
        return warning.message.find("sums of others: Bad") != std::string::npos;
      });
  CHECK(told);
}

TEST_CASE("parts of callgrind's file may have their events in another order, and add up") {
  if (!have_programs({"gcc"})) return;
  ImportReader reader("import-parts");
  const ImportedProfile profile = reader.callgrind(
      "version: 1\npid: 5\npart: 1\nthread: 1\nevents: Ir Dr\nfn=leaf\n2 10 3\n"
      "version: 1\npid: 5\npart: 2\nthread: 2\nevents: Dw Ir\nfn=leaf\n2 4 20\n");
  CHECK(names_of(profile) == Names{"Ir", "Dr", "Dw"});
  CHECK(own_ticks(profile) == 30);
  CHECK(own_ticks(by(profile, "Dr")) == 3);
  CHECK(own_ticks(by(profile, "Dw")) == 4);
  CHECK(profile.process == 5);
  CHECK(profile.thread == 0);
  const ImportedProfile partly = reader.callgrind(
      "version: 1\npid: 5\nevents: calls\nfn=leaf\n2 10\npart: 2\nevents: calls\n2 5\n");
  CHECK(names_of(partly) == Names{"event calls"});
  CHECK(own_ticks(partly) == 15);
  CHECK(partly.process == 0);
}

TEST_CASE("damage in any column of callgrind's file is told") {
  if (!have_programs({"gcc"})) return;
  const ImportReader reader("import-columns");
  Warnings warnings;
  const std::string start = "version: 1\nevents: Ir Dr\nfn=leaf\n";
  const auto read = read_callgrind(start + "2 1 x\n", "callgrind.out", reader.target(), warnings);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::corrupt);
  CHECK(read.error().offset == start.size());
  // What follows the last column is no cost.
  CHECK(read_callgrind(start + "2 1 2 x\n", "callgrind.out", reader.target(), warnings));
}

TEST_CASE(
    "amplification: events of callgrind's file are bounded, and so is what a line is made to") {
  if (!have_programs({"gcc"})) return;
  ImportReader reader("import-many-events");
  std::string text = "version: 1\nevent: Sum = e0";
  for (int i = 0; i < 10'000; ++i) text += " + e0";
  text += "\nevents:";
  for (int i = 0; i < 1000; ++i) text += fmt::format(" e{}", i);
  text += "\nfn=leaf\n2 1 2 3\n";
  const ImportedProfile profile = reader.callgrind(text);
  CHECK(all_of(profile).size() == 32);
  CHECK(own_ticks(by(profile, "e2")) == 3);
  REQUIRE_FALSE(reader.warnings.empty());
  CHECK(reader.warnings[0].message.find("more than 32") != std::string::npos);
  // Sums saturate.
  const ImportedProfile large = reader.callgrind(
      "version: 1\nevent: S = 9 a + a\nevents: a\nfn=leaf\n2 18446744073709551615\n");
  CHECK(own_ticks(by(large, "S")) == own_ticks(large));
}

TEST_CASE("sums of every event agree with callgrind_annotate's") {
  if (!have_programs({"gcc", "valgrind", "callgrind_annotate"})) return;
  Imported imported("import-annotated");
  const std::string out = "--callgrind-out-file=" + imported.file.string();
  run_or_fail({"valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", out,
               imported.built.program.string(), "300"},
              imported.built.folder);
  const auto read = read_profile_file(imported.file, *imported.program, imported.warnings);
  REQUIRE(read);
  const auto annotated = run_process({"callgrind_annotate", "--threshold=100", "--show-percs=no",
                                      "--auto=no", imported.file.string()},
                                     imported.built.folder);
  REQUIRE(annotated.exit_status == 0);
  // Of functions of the program: "1,234 5 . prog.c:leaf [/…/prog]".
  std::vector<double> wanted;
  std::istringstream lines(annotated.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool has_figures = first != std::string::npos && line[first] >= '0' && line[first] <= '9';
    if (!has_figures || line.find("prog.c:") == std::string::npos) continue;
    std::istringstream words(line);
    std::size_t column = 0;
    for (std::string word; words >> word; ++column) {
      if (word.find(':') != std::string::npos) break;
      if (wanted.size() <= column) wanted.push_back(0);
      std::erase(word, ',');
      if (word != ".") wanted[column] += std::stod(word);
    }
  }
  CHECK(wanted.size() == 13);
  std::ifstream in(imported.file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  Warnings warnings;
  const auto profile = read_callgrind(
      text, imported.file.string(),
      {imported.program->symbols(), imported.program->code(), imported.program->image().path(),
       [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }},
      warnings);
  REQUIRE(profile);
  const auto events = all_of(*profile);
  REQUIRE(events.size() == 13);
  const SymbolTable& symbols = imported.program->symbols();
  for (std::size_t i = 0; i < events.size(); ++i) {
    CAPTURE(events[i]->metric.name);
    double own = 0;
    for (const auto& [place, ticks] : events[i]->inclusive.self) {
      const auto symbol = symbols.find(place);
      REQUIRE(symbol);
      if (symbols[*symbol].name == "leaf" || symbols[*symbol].name == "main") own += ticks;
    }
    CHECK(own == wanted[i]);
  }
}
