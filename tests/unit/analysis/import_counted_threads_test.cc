// Callgrind's files whose parts are of several threads: each thread's costs and calls by
// themselves.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/analysis/samples.h"
#include "engine/callgraph/external_callers.h"
#include "engine/import/callgrind.h"
#include "engine/snapshot_view.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

ImportedProfile read(const Imported& imported, const std::string& text) {
  Warnings warnings;
  auto profile = read_callgrind(
      text, "callgrind.out",
      {imported.program->symbols(), imported.program->code(), imported.program->image().path(),
       [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }},
      warnings);
  if (!profile) FAIL(describe(profile.error()));
  return *std::move(profile);
}

// main calls leaf in both; what leaf costs differs.
std::string part(int process, int thread, int leaf, int calls) {
  return fmt::format(
      "version: 1\npid: {}\ncmd: ./prog\npart: 1\nthread: {}\npositions: line\nevents: Ir Dr\nob=\n"
      "fn=leaf\n2 {} 3\nfn=main\n3 10 1\ncfn=leaf\ncalls={} 2\n* {} 3\nob=/libc\nfn=x\n1 4 0\n\n",
      process, thread, leaf, calls, leaf);
}

double own(const Snapshot& view, SymbolIndex function) {
  return view.profile().self_ticks()[function];
}

}  // namespace

TEST_CASE("callgrind's functions of libraries have their names, what they called, and callers") {
  if (!have_programs({"gcc"})) return;
  const Imported imported("import-counted-libraries");
  imported.write(
      "version: 1\ncmd: ./prog\npositions: line\nevents: Ir\n"
      "ob=\nfn=main\n3 10\ncob=/lib/libc.so.6\ncfn=qsort\ncalls=1 1\n* 100\n"
      "cob=/lib/libc.so.6\ncfn=strlen'main\ncalls=2 1\n* 7\n"
      // Recursion: the inner level is part of the outer one.
      "ob=/lib/libc.so.6\nfn=qsort\n1 20\ncob=/lib/libc.so.6\ncfn=qsort'2\ncalls=1 1\n* 80\n"
      "fn=qsort'2\n1 50\ncob=\ncfn=leaf\ncalls=3 2\n* 30\n"
      "fn=strlen'main\n1 7\nob=???\nfn=0x4000\n1 5\nob=/lib/libm.so.6\nfn=0x5000\n1 3\n"
      "ob=\nfn=leaf\n2 30\n");
  const auto snapshot = imported.snapshot();
  const StackSamples& stacks = snapshot->stacks();
  const auto total = [&](const char* module, const char* function) {
    const auto number = stacks.find({module, function});
    REQUIRE(number);
    return snapshot->measured().external_total(*number);
  };
  CHECK(total("libc.so.6", "qsort") == 100);
  CHECK(total("libc.so.6", "strlen") == 7);
  CHECK(total("libm.so.6", "") == 3);
  std::map<std::pair<std::string, std::string>, Ticks> self;
  for (const ModuleSamples& code : snapshot->profile().elsewhere()) {
    self[{code.name, code.function}] += code.ticks;
  }
  const std::map<std::pair<std::string, std::string>, Ticks> wanted = {{{"libc.so.6", "qsort"}, 70},
                                                                       {{"libc.so.6", "strlen"}, 7},
                                                                       {{"libm.so.6", ""}, 3},
                                                                       {{"other modules", ""}, 5}};
  CHECK(self == wanted);
  const CountedTimes* counted = snapshot->measured().counted();
  REQUIRE(counted != nullptr);
  const CountedCallerFinder finder(snapshot->symbols(), snapshot->code(), stacks, *counted);
  const auto callers = [&](const char* function) {
    return finder.callers_of({"libc.so.6", function});
  };
  CHECK(callers("qsort").sites.size() == 1);
  CHECK(callers("qsort").arcs.at(0).ticks == 100);
  CHECK(callers("strlen").arcs.at(0).caller == imported.symbol("main"));
  CHECK(callers("free").arcs.empty());
}

TEST_CASE("parts of callgrind's file keep their threads, which add up to all of it") {
  if (!have_programs({"gcc"})) return;
  const Imported imported("import-counted-threads");
  const ImportedProfile profile =
      read(imported, part(5, 1, 100, 2) + part(5, 2, 300, 7) + part(5, 1, 50, 1));
  CHECK(profile.process == 5);
  CHECK(profile.thread == 0);
  const SymbolIndex leaf = imported.symbol("leaf");
  const SymbolIndex main = imported.symbol("main");
  for (const ImportedProfile* metric :
       std::vector<const ImportedProfile*>{&profile, &profile.others.at(0)}) {
    REQUIRE(metric->threads.size() == 2);
    double ticks = 0;
    InclusiveCosts sum;
    std::uint64_t calls = 0;
    for (const ImportedThread& thread : metric->threads) {
      CHECK(thread.process == 5);
      for (const auto& [place, count] : thread.ticks) ticks += static_cast<double>(count);
      sum.add(thread.inclusive);
      for (const RawArc& arc : *thread.arcs) calls += arc.count;
    }
    CHECK(ticks == Samples(metric->raw.histograms).total());
    CHECK(sum.totals == metric->inclusive.totals);
    CHECK(sum.self == metric->inclusive.self);
    CHECK(sum.external == metric->inclusive.external);
    CHECK(sum.external_costs == metric->inclusive.external_costs);
    CHECK(sum.functions == metric->inclusive.functions);
    CHECK(calls == 10);
  }
  CHECK(profile.threads[0].inclusive.totals.at(leaf) == 150);
  CHECK(profile.threads[1].inclusive.totals.at(main) == 310);
  // Of one thread there is nothing to tell apart.
  const ImportedProfile one = read(imported, part(5, 3, 1, 1) + part(5, 3, 2, 1));
  CHECK(one.threads.empty());
  CHECK(one.thread == 3);
}

TEST_CASE("a thread or process of callgrind's file can be selected") {
  if (!have_programs({"gcc"})) return;
  const Imported imported("import-selected-threads");
  imported.write("# callgrind format\n" + part(5, 1, 100, 2) + part(5, 2, 300, 7) +
                 part(6, 1, 50, 1));
  const auto whole = imported.snapshot();
  const SymbolIndex leaf = imported.symbol("leaf");
  const SymbolIndex main = imported.symbol("main");
  CHECK(own(*whole, leaf) == 450);
  const Dimensions& dimensions = whole->dimensions();
  REQUIRE(dimensions.threads.size() == 3);
  CHECK(dimensions.threads[1].thread == 2);
  CHECK(dimensions.threads[1].cpu == 314);
  REQUIRE(dimensions.processes.size() == 2);
  CHECK(dimensions.calls_by_thread);
  Selection selection;
  selection.threads = {2};
  const auto second = view_of(whole, "", selection);
  REQUIRE(second);
  CHECK(own(**second, leaf) == 300);
  CHECK((*second)->graph().node(leaf).calls == 7);
  CHECK((*second)->measured().total(main) == 310);
  const auto loads = view_of(whole, "Dr", selection);
  REQUIRE(loads);
  CHECK(own(**loads, leaf) == 3);
  selection.threads = {1};
  const auto first = view_of(whole, "", selection);
  REQUIRE(first);
  CHECK(own(**first, leaf) == 150);
  selection.processes = {6};
  const auto other = view_of(whole, "", selection);
  REQUIRE(other);
  CHECK(own(**other, leaf) == 50);
  selection = {};
  selection.processes = {5, 6};
  const auto all = view_of(whole, "", selection);
  REQUIRE(all);
  CHECK(*all == whole);
  selection.threads = {9};
  CHECK_FALSE(view_of(whole, "", selection));
  selection.threads = {1};
  selection.from = 0;
  CHECK_FALSE(view_of(whole, "", selection));
}

TEST_CASE("amplification: threads of callgrind's file are bounded") {
  if (!have_programs({"gcc"})) return;
  const Imported imported("import-many-threads");
  std::string text = "version: 1\nevents: Ir Dr\nfn=leaf\n";
  for (int i = 1; i <= 10'000; ++i) text += fmt::format("thread: {}\nevents: Ir\n2 1\n", i);
  const ImportedProfile profile = read(imported, text);
  CHECK(profile.threads.size() == 4096);
  CHECK(profile.threads.back().thread == 0);
  CHECK(Samples(profile.raw.histograms).total() == 10'000);
}
