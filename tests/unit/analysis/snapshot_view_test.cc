// Views of a snapshot: a selection's figures are parts of the whole's, tick by tick.
#include "engine/snapshot_view.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/figure_sums.h"
#include "tests/support/made_up_profile.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using View = std::shared_ptr<const Snapshot>;

View view_or_fail(const View& snapshot, const Selection& selection) {
  auto view = view_of(snapshot, "", selection);
  INFO((view ? "" : describe(view.error())));
  REQUIRE(view);
  return *view;
}

Selection of_time(std::optional<Seconds> from, std::optional<Seconds> to) {
  Selection selection;
  selection.from = from;
  selection.to = to;
  return selection;
}

Selection of_threads(std::vector<std::string> names) {
  Selection selection;
  selection.thread_names = std::move(names);
  return selection;
}

// Every figure of a view, by a name of its own.
std::map<std::string, double> figures_of(const Snapshot& view) {
  std::map<std::string, double> figures;
  const auto count = static_cast<SymbolIndex>(view.symbols().size());
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    const std::string name(view.symbols()[symbol].name);
    figures["self " + name] += view.profile().self(symbol);
    figures["total " + name] += view.measured().total(symbol);
    const Symbol& code = view.symbols()[symbol];
    figures["kernel " + name] += view.profile().kernel().in({code.address, code.end});
  }
  for (const MeasuredArc& arc : view.measured().arcs()) {
    const std::string ends = std::to_string(arc.caller) + " to " + std::to_string(arc.callee);
    figures["arc " + ends] += arc.ticks;
    figures["self of arc " + ends] += arc.self;
  }
  for (const ModuleSamples& module : view.profile().elsewhere()) {
    figures["elsewhere " + module.name] += module.ticks;
  }
  figures["program"] = view.profile().program_ticks();
  figures["stacks"] = view.stacks().total();
  return figures;
}

std::map<std::string, std::uint64_t> calls_of(const Snapshot& view) {
  std::map<std::string, std::uint64_t> calls;
  for (const SiteArc& arc : view.profile().site_arcs()) {
    calls[std::to_string(arc.from_pc.value) + " to " + std::to_string(arc.callee)] += arc.count;
  }
  return calls;
}

// Four threads, fifty slices, stacks and calls by chance.
MadeUpProfile by_chance(std::uint32_t seed) {
  std::mt19937 random(test_seed(seed));
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  const std::vector<std::string> functions = {"a", "b", "c", "d", "e"};
  MadeUpProfile profile("view_" + std::to_string(seed), functions);
  for (std::uint32_t i = 0; i < 4; ++i) profile.thread(100 + i, "t" + std::to_string(i));
  for (int i = 0; i < 200; ++i) {
    std::vector<std::string> frames;
    const std::uint32_t depth = 1 + below(5);
    for (std::uint32_t frame = 0; frame < depth; ++frame) frames.push_back(functions[below(5)]);
    if (below(5) == 0) frames.emplace_back("/lib/libx.so");
    const std::uint32_t samples = 1 + below(9);
    profile.stack_of(below(4), below(50), samples, frames).in_kernel(below(samples + 1));
  }
  for (int i = 0; i < 60; ++i) {
    profile.calls_of(below(4), functions[below(5)], functions[below(5)], 1 + below(100));
  }
  return profile;
}

// parse is hot in the first second in one thread, solve in the next in another.
MadeUpProfile two_threads() {
  MadeUpProfile profile("view_threads", {"main", "parse", "solve", "step"});
  profile.thread(11, "parser").thread(12, "solver");
  for (std::uint32_t slice = 0; slice < 10; ++slice) {
    profile.stack_of(0, slice, 10, {"main", "parse", "step"});
    profile.stack_of(1, slice + 10, 20, {"main", "solve", "step"}).in_kernel(5);
  }
  profile.calls_of(0, "main", "parse", 3).calls_of(1, "main", "solve", 4);
  profile.calls_of(0, "parse", "step", 100).calls_of(1, "solve", "step", 7);
  return profile;
}

Ticks total_of(const View& view, const MadeUpProfile& profile, std::string_view function) {
  return view->measured().total(profile.symbol(function));
}

}  // namespace

TEST_CASE("views: threads and stretches of time add up to the whole, tick by tick") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const View whole = by_chance(seed).snapshot();
    const auto all = figures_of(*whole);
    std::mt19937 random(test_seed(seed));

    std::vector<std::map<std::string, double>> by_thread;
    std::vector<std::map<std::string, std::uint64_t>> calls;
    for (const auto& names : std::vector<std::vector<std::string>>{{"t0"}, {"t1", "t3"}, {"t2"}}) {
      const View view = view_or_fail(whole, of_threads(names));
      by_thread.push_back(figures_of(*view));
      calls.push_back(calls_of(*view));
    }
    check_sum(by_thread, all);
    check_sum(calls, calls_of(*whole));

    std::vector<std::map<std::string, double>> by_time;
    Seconds from = 0;
    while (from < whole->dimensions().length) {
      const Seconds to = from + 0.03 * static_cast<double>(1 + random() % 30);
      by_time.push_back(figures_of(*view_or_fail(whole, of_time(from, to))));
      from = to;
    }
    check_sum(by_time, all);
  }
}

TEST_CASE("views: a thread and a stretch have figures of their own") {
  const MadeUpProfile profile = two_threads();
  const View whole = profile.snapshot();
  CHECK(total_of(whole, profile, "step") == 300);
  REQUIRE(whole->dimensions().threads.size() == 2);
  CHECK(whole->dimensions().length == Approx(2.0));

  const View parser = view_or_fail(whole, of_threads({"parser"}));
  CHECK(total_of(parser, profile, "parse") == 100);
  CHECK(total_of(parser, profile, "solve") == 0);
  CHECK(parser->profile().self(profile.symbol("step")) == 100);
  CHECK(parser->graph().node(profile.symbol("step")).calls == 100);

  const View late = view_or_fail(whole, of_time(1.0, std::nullopt));
  CHECK(total_of(late, profile, "solve") == 200);
  CHECK(total_of(late, profile, "parse") == 0);
  CHECK(late->profile().site_arcs().empty());

  Selection nothing = of_threads({"parser"});
  nothing.from = 1.0;
  const View none = view_or_fail(whole, nothing);
  CHECK(none->profile().program_ticks() == 0);
  CHECK(none->profile().has_samples());
}

TEST_CASE("views: time in the kernel is that of the selection") {
  const MadeUpProfile profile = two_threads();
  const View whole = profile.snapshot();
  const auto in_kernel = [&](const View& view) {
    const Symbol& code = view->symbols()[profile.symbol("step")];
    return view->profile().kernel().in({code.address, code.end});
  };
  CHECK(in_kernel(whole) == 50);
  CHECK(in_kernel(view_or_fail(whole, of_threads({"parser"}))) == 0);
  CHECK(in_kernel(view_or_fail(whole, of_threads({"solver"}))) == 50);
  CHECK(in_kernel(view_or_fail(whole, of_time(1.5, std::nullopt))) == 25);
}

TEST_CASE("views: what selects everything is the whole, and views are made once") {
  const View whole = two_threads().snapshot();
  CHECK(view_or_fail(whole, {}) == whole);
  Selection process;
  process.processes = {77};
  CHECK(view_or_fail(whole, process) == whole);
  const View view = view_or_fail(whole, of_threads({"parser"}));
  CHECK(view_or_fail(whole, of_threads({"parser"})).get() == view.get());
  CHECK(whole_of(view) == whole);
  CHECK(view_or_fail(view, {}) == whole);
}

TEST_CASE("views: what is not there is named with what there is") {
  const View whole = two_threads().snapshot();
  const auto message_of = [&](const std::string& cost, const Selection& selection) {
    const auto view = view_of(whole, cost, selection);
    REQUIRE_FALSE(view);
    return view.error().message;
  };
  CHECK_THAT(message_of("", of_threads({"writer"})),
             Catch::Contains("no thread writer; it has parser (11), solver (12)"));
  Selection process;
  process.processes = {5};
  CHECK_THAT(message_of("", process), Catch::Contains("no process 5; it has 77 (gmon.out)"));
  CHECK_THAT(message_of("", of_time(3, 4)), Catch::Contains("the run lasts from 0 s to 2.000 s"));
  CHECK_THAT(message_of("", of_time(1, 1)), Catch::Contains("nothing from 1 s to 1 s"));
  CHECK_THAT(message_of("misses", {}), Catch::Contains("misses; it has cpu"));
}

TEST_CASE("views: a time line has each thread's cost in each column") {
  const View whole = two_threads().snapshot();
  TimelineQuery query;
  query.columns = 4;
  const Timeline timeline = timeline_of(*whole, query).value();
  REQUIRE(timeline.rows.size() == 2);
  const double rate = whole->profile().ticks_per_second();
  const std::vector<double> parser = {50 / rate, 50 / rate, 0, 0};
  const std::vector<double> solver = {0, 0, 100 / rate, 100 / rate};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(timeline.rows[0].values[i] == Approx(parser[i]).margin(1e-9));
    CHECK(timeline.rows[1].values[i] == Approx(solver[i]).margin(1e-9));
  }
  query.from = 0.95;
  query.to = 1.05;
  query.columns = 1;
  const Timeline middle = timeline_of(*whole, query).value();
  CHECK(middle.rows[0].total == Approx(5 / rate));
  CHECK(middle.rows[1].total == Approx(10 / rate));
}

TEST_CASE("views: a selection is told in words") {
  const View whole = two_threads().snapshot();
  Selection selection = of_threads({"parser"});
  selection.from = 0.5;
  selection.to = 1.25;
  CHECK(selection_text(selection, whole->dimensions()) == "thread parser, 0.5 s to 1.25 s");
  selection.thread_names.clear();
  selection.threads = {12};
  selection.to.reset();
  CHECK(selection_text(selection, whole->dimensions()) == "thread solver (12), from 0.5 s");
  CHECK(selection_text({}, whole->dimensions()).empty());
}
