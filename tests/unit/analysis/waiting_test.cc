// Waits as metrics of cost: what is exact, what adds up, what is idle.
#include "engine/waiting.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/analysis/idle_waits.h"
#include "engine/snapshot_view.h"
#include "tests/support/figure_sums.h"
#include "tests/support/made_up_profile.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using View = std::shared_ptr<const Snapshot>;

View view_by(const View& snapshot, std::string_view cost, const Selection& selection = {}) {
  auto view = view_of(snapshot, cost, selection);
  INFO((view ? "" : describe(view.error())));
  REQUIRE(view);
  return *view;
}

Selection with_idle() {
  Selection selection;
  selection.with_idle = true;
  return selection;
}

Seconds self_of(const Snapshot& view, const MadeUpProfile& made, std::string_view function) {
  return view.profile().seconds(view.profile().self(made.symbol(function)));
}

Seconds total_of(const Snapshot& view, const MadeUpProfile& made, std::string_view function) {
  return view.profile().seconds(view.measured().total(made.symbol(function)));
}

std::vector<std::string> names_of(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.push_back(metric.name);
  return names;
}

// main calls step, which waits for a lock and reads; both are on a CPU as well.
MadeUpProfile with_waits() {
  MadeUpProfile made("waits", {"main", "step", "other"});
  made.thread(11, "main").thread(12, "worker");
  made.stack_of(0, 0, 20, {"main", "step"}).stack_of(1, 3, 5, {"other"});
  made.wait_of(0, 0, WaitKind::lock, "pthread_mutex_lock", 30, {"main", "step"});
  made.wait_of(0, 1, WaitKind::lock, "pthread_mutex_lock", 50, {"main", "step"});
  made.wait_of(1, 3, WaitKind::io, "read", 70, {"other", "/lib/libx.so:fill"});
  made.wait_of(0, 4, WaitKind::io, "write", 10, {"main"});
  made.calls_of(0, "main", "step", 7);
  return made;
}

// Every figure of a view, by a name of its own.
std::map<std::string, double> figures_of(const Snapshot& view) {
  std::map<std::string, double> figures;
  const auto count = static_cast<SymbolIndex>(view.symbols().size());
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    const std::string name(view.symbols()[symbol].name);
    figures["self " + name] += view.profile().self(symbol);
    figures["total " + name] += view.measured().total(symbol);
  }
  for (const MeasuredArc& arc : view.measured().arcs()) {
    figures["arc " + std::to_string(arc.caller) + " " + std::to_string(arc.callee)] += arc.ticks;
  }
  for (const ModuleSamples& module : view.profile().elsewhere()) {
    figures["elsewhere " + module.name] += module.ticks;
  }
  figures["program"] = view.profile().program_ticks();
  figures["stacks"] = view.stacks().total();
  return figures;
}

MadeUpProfile by_chance(std::uint32_t seed) {
  std::mt19937 random(test_seed(seed));
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  const std::vector<std::string> functions = {"a", "b", "c", "d", "e"};
  constexpr WaitKind kinds[] = {WaitKind::lock, WaitKind::io, WaitKind::sleep, WaitKind::child,
                                WaitKind::other};
  MadeUpProfile made("waits_" + std::to_string(seed), functions);
  for (std::uint32_t i = 0; i < 4; ++i) made.thread(100 + i, "t" + std::to_string(i));
  const auto frames = [&] {
    std::vector<std::string> names;
    const std::uint32_t depth = 1 + below(4);
    for (std::uint32_t i = 0; i < depth; ++i) names.push_back(functions[below(5)]);
    if (below(5) == 0) names.emplace_back("/lib/libx.so");
    return names;
  };
  for (int i = 0; i < 100; ++i) made.stack_of(below(4), below(30), 1 + below(9), frames());
  for (int i = 0; i < 150; ++i) {
    made.wait_of(below(4), below(30), kinds[below(5)], "f" + std::to_string(below(3)),
                 1 + below(60), frames());
  }
  return made;
}

}  // namespace

TEST_CASE("waiting: a profile with waits has their metrics of cost") {
  const MadeUpProfile made = with_waits();
  const View snapshot = made.snapshot();
  CHECK(snapshot->cost_metric().name == "cpu");
  CHECK(names_of(snapshot->metrics()) ==
        std::vector<std::string>{"cpu", "wait", "wait.lock", "wait.io", "wall", "calls"});
  for (const Metric& metric : snapshot->metrics()) {
    if (!is_of_waiting(metric.name)) continue;
    CHECK(metric.unit == "seconds");
    CHECK(metric.kind == (metric.name == "wall" ? MetricKind::sampled : MetricKind::exact));
  }
  CHECK_FALSE(view_of(snapshot, "wait.child", {}));
}

TEST_CASE("waiting: the time is that of the call that blocks, and of all that called it") {
  const MadeUpProfile made = with_waits();
  const View snapshot = made.snapshot();
  const View wait = view_by(snapshot, "wait");
  CHECK(wait->profile().has_exact_costs());
  CHECK(self_of(*wait, made, "step") == Approx(0.080));
  CHECK(self_of(*wait, made, "main") == Approx(0.010));
  CHECK(total_of(*wait, made, "main") == Approx(0.090));
  CHECK(self_of(*wait, made, "other") == 0);
  CHECK(total_of(*wait, made, "other") == Approx(0.070));
  CHECK(wait->profile().seconds(wait->profile().program_ticks()) == Approx(0.160));
  CHECK(wait->profile().error_of(1e9) == 0);
  REQUIRE(wait->profile().elsewhere().size() == 1);
  CHECK(wait->profile().elsewhere()[0].function == "fill");
  const View lock = view_by(snapshot, "wait.lock");
  CHECK(total_of(*lock, made, "main") == Approx(0.080));
  CHECK(total_of(*lock, made, "other") == 0);
  // Calls are the same by every metric.
  CHECK(wait->graph().node(made.symbol("step")).calls == 7);
}

TEST_CASE("waiting: wall-clock time is CPU time and waiting, with the error of its CPU time") {
  const MadeUpProfile made = with_waits();
  const View snapshot = made.snapshot();
  const View wall = view_by(snapshot, "wall");
  CHECK(self_of(*wall, made, "step") == Approx(0.280));
  CHECK(total_of(*wall, made, "main") == Approx(0.290));
  CHECK(total_of(*wall, made, "other") == Approx(0.120));
  CHECK(wall->measured().known());
  const FunctionCosts& profile = wall->profile();
  CHECK_FALSE(profile.has_exact_costs());
  const auto error = [](const FunctionCosts& of, Seconds time) {
    return of.seconds(of.error_of(time * of.ticks_per_second()));
  };
  // As that of CPU time up to all 0.25 s of it, and no more for all the waiting beside it.
  CHECK(error(profile, 0.2) == Approx(error(snapshot->profile(), 0.2)));
  CHECK(error(profile, 0.25) == Approx(error(snapshot->profile(), 0.25)));
  CHECK(error(profile, 100) == Approx(error(snapshot->profile(), 0.25)));
}

TEST_CASE("waiting: parts by kind, thread and time add up to the whole") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const MadeUpProfile made = by_chance(seed);
    const View snapshot = made.snapshot();
    const auto whole = figures_of(*view_by(snapshot, "wait"));
    std::vector<std::map<std::string, double>> parts;
    for (const char* kind : {"lock", "io", "sleep", "child", "other"}) {
      parts.push_back(figures_of(*view_by(snapshot, std::string("wait.") + kind)));
    }
    check_sum(parts, whole);
    for (const char* metric : {"wait", "wait.io", "wall"}) {
      CAPTURE(seed, metric);
      const auto all = figures_of(*view_by(snapshot, metric));
      parts.clear();
      for (std::uint32_t thread = 100; thread < 104; ++thread) {
        Selection selection;
        selection.threads = {thread};
        parts.push_back(figures_of(*view_by(snapshot, metric, selection)));
      }
      check_sum(parts, all);
      parts.clear();
      for (int stretch = 0; stretch < 3; ++stretch) {
        Selection selection;
        selection.from = stretch;
        selection.to = stretch + 1;
        parts.push_back(figures_of(*view_by(snapshot, metric, selection)));
      }
      check_sum(parts, all);
    }
    // 0.01 s a sample, exactly so many nanoseconds.
    const auto wall = figures_of(*view_by(snapshot, "wall"));
    const auto cpu = figures_of(*snapshot);
    for (const auto& entry : wall) {
      INFO(entry.first);
      const auto of = [&](const auto& figures) {
        const auto found = figures.find(entry.first);
        return found == figures.end() ? 0.0 : found->second;
      };
      CHECK(entry.second == of(cpu) * 1e7 + of(whole));
    }
  }
}

TEST_CASE("waiting: the time line has waits in their slices") {
  const View snapshot = with_waits().snapshot();
  TimelineQuery query;
  query.columns = 5;
  const Timeline line = timeline_of(*view_by(snapshot, "wait"), query).value();
  REQUIRE(line.rows.size() == 2);
  REQUIRE(line.rows[0].values.size() == 5);
  CHECK(line.rows[0].values[0] == Approx(0.030));
  CHECK(line.rows[0].values[1] == Approx(0.050));
  CHECK(line.rows[0].values[4] == Approx(0.010));
  CHECK(line.rows[1].values[3] == Approx(0.070));
  CHECK(line.rows[1].total == Approx(0.070));
}

TEST_CASE("waiting: a time line tells what threads did") {
  MadeUpProfile made = with_waits();
  const View snapshot = made.snapshot();
  const double rate = snapshot->profile().ticks_per_second();
  TimelineQuery query;
  query.columns = 5;
  const Timeline wall = timeline_of(*view_by(snapshot, "wall"), query).value();
  const auto of = [](const TimelineRow& row, Activity activity) {
    return row.activities[place_of(activity)];
  };
  REQUIRE(of(wall.rows[0], Activity::running).size() == 5);
  CHECK(of(wall.rows[0], Activity::running)[0] == Approx(20 / rate));
  CHECK(of(wall.rows[0], Activity::lock)[0] == Approx(0.030));
  CHECK(of(wall.rows[0], Activity::lock)[1] == Approx(0.050));
  CHECK(of(wall.rows[0], Activity::io)[4] == Approx(0.010));
  CHECK(of(wall.rows[1], Activity::running)[3] == Approx(5 / rate));
  CHECK(of(wall.rows[1], Activity::lock).empty());
  for (const TimelineRow& row : wall.rows) {
    CHECK(of(row, Activity::idle).empty());
    for (std::size_t column = 0; column < 5; ++column) {
      double sum = 0;
      for (const auto& values : row.activities) sum += values.empty() ? 0 : values[column];
      CHECK(row.values[column] == Approx(sum).margin(1e-12));
    }
  }
  const Timeline lock = timeline_of(*view_by(snapshot, "wait.lock"), query).value();
  CHECK(of(lock.rows[0], Activity::lock)[1] == Approx(0.050));
  CHECK(of(lock.rows[0], Activity::running).empty());
  CHECK(of(lock.rows[0], Activity::io).empty());
  const Timeline cpu = timeline_of(*snapshot, query).value();
  for (const auto& values : cpu.rows[0].activities) CHECK(values.empty());
}

TEST_CASE("waiting: what is idle is left out unless it is asked for") {
  MadeUpProfile made("idle", {"main", "worker", "take", "work"});
  made.thread(1, "main").thread(2, "pool").thread(3, "pool");
  for (std::uint32_t slice = 0; slice < 10; ++slice) {
    made.stack_of(0, slice, 5, {"main", "work"});
    for (const std::size_t thread : {1U, 2U}) {
      made.wait_of(thread, slice, WaitKind::lock, "pthread_cond_wait", 80, {"worker", "take"});
    }
    made.wait_of(1, slice, WaitKind::lock, "pthread_mutex_lock", 5, {"worker"});
  }
  made.wait_of(0, 9, WaitKind::lock, "pthread_cond_wait", 40, {"worker", "take"});
  const View snapshot = made.snapshot();
  const View folded = view_by(snapshot, "wait");
  // The main thread waits there as well, and is not idle.
  CHECK(self_of(*folded, made, "take") == Approx(0.040));
  CHECK(self_of(*folded, made, "worker") == Approx(0.050));
  const View shown = view_by(snapshot, "wait", with_idle());
  CHECK(self_of(*shown, made, "take") == Approx(1.640));
  CHECK(self_of(*shown, made, "worker") == Approx(0.050));
  CHECK(self_of(*view_by(snapshot, "wall"), made, "take") == Approx(0.040));
  CHECK(self_of(*view_by(snapshot, "wall", with_idle()), made, "take") == Approx(1.640));
  // It changes nothing of CPU time.
  CHECK(view_by(snapshot, "cpu", with_idle()) == snapshot);
  Selection pool = with_idle();
  pool.threads = {2};
  CHECK(self_of(*view_by(snapshot, "wait", pool), made, "take") == Approx(0.800));
  pool.with_idle = false;
  CHECK(self_of(*view_by(snapshot, "wait", pool), made, "take") == 0);
}

TEST_CASE("waiting: a wait that is kept in a few slices fills all of its time line") {
  MadeUpProfile made("long", {"main", "nap"});
  made.thread(1, "main");
  made.stack_of(0, 9, 1, {"main"});
  // Slices are of 100 ms.
  made.wait_of(0, 1, WaitKind::sleep, "nanosleep", 400, {"nap"});
  made.wait_of(0, 5, WaitKind::sleep, "nanosleep", 250, {"nap"});
  made.wait_of(0, 9, WaitKind::io, "read", 150, {"main"});
  const View view = view_by(made.snapshot(), "wait");
  TimelineQuery query;
  query.columns = 10;
  const TimelineRow row = timeline_of(*view, query)->rows[0];
  const double expected[] = {0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0, 0.15};
  for (std::size_t column = 0; column < 10; ++column) {
    CHECK(row.values[column] == Approx(expected[column]).margin(1e-9));
  }
  CHECK(row.total == Approx(0.8));
}

TEST_CASE("waiting: a time line tells idle waiting whether or not it counts") {
  MadeUpProfile made("idle_line", {"main", "take"});
  made.thread(1, "main").thread(2, "pool");
  made.stack_of(0, 9, 5, {"main"});
  for (std::uint32_t slice = 0; slice < 10; ++slice) {
    made.wait_of(1, slice, WaitKind::lock, "pthread_cond_wait", 80, {"take"});
  }
  const View snapshot = made.snapshot();
  TimelineQuery query;
  query.columns = 10;
  for (const bool is_shown : {false, true}) {
    const View view = view_by(snapshot, "wait", is_shown ? with_idle() : Selection());
    const Timeline line = timeline_of(*view, query).value();
    const TimelineRow& pool = line.rows[1];
    REQUIRE(pool.activities[place_of(Activity::idle)].size() == 10);
    CHECK(pool.activities[place_of(Activity::idle)][3] == Approx(0.080));
    CHECK(pool.activities[place_of(Activity::lock)].empty());
    CHECK(pool.values[3] == Approx(is_shown ? 0.080 : 0).margin(1e-12));
    CHECK(pool.total == Approx(is_shown ? 0.800 : 0).margin(1e-12));
  }
}

TEST_CASE("waiting: it counts for the call that blocks, wherever that ends") {
  for (const std::uint64_t last : {0x1005U, 0x1006U}) {
    ProfileFile file;
    file.metric = {std::string(cpu_metric), "CPU time", "seconds", MetricKind::sampled, "sampling"};
    file.raw.rate = 100;
    file.own_modules = {true};
    Sidecar& sidecar = file.sidecar.emplace();
    sidecar.modules.resize(1);
    sidecar.wait_stacks.push_back({0, false, {{0, Address{last}}}});
    sidecar.waits.push_back({0, WaitKind::lock, 1, 500, 500, 0});
    const auto made = by_waiting(file, "wait", false);
    REQUIRE(made);
    const Samples samples(made->raw.histograms);
    CHECK(samples.in({Address{0x1000}, Address{last + 1}}) == 500);
    CHECK(samples.in({Address{last + 1}, Address{0x1010}}) == 0);
  }
}

TEST_CASE("waiting: a program that only waits has a profile") {
  MadeUpProfile made("only_waits", {"main", "nap"});
  made.thread(1, "main");
  made.stack_of(0, 0, 1, {"main"});
  made.wait_of(0, 9, WaitKind::sleep, "nanosleep", 900, {"main", "nap"});
  const View wait = view_by(made.snapshot(), "wait");
  CHECK(total_of(*wait, made, "main") == Approx(0.9));
}
