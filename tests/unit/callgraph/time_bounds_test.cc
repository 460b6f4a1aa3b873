#include "engine/callgraph/time_bounds.h"

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include <catch2/catch.hpp>

#include "engine/callgraph/measured_times.h"
#include "tests/unit/callgraph/text_graph.h"

using namespace gprof;
using gprof_tests::TextGraph;

namespace {

Ticks lowest(Ticks ticks) { return std::max(0.0, ticks - 3 * std::sqrt(ticks)); }
Ticks highest(Ticks ticks) { return ticks + 3 * std::sqrt(ticks); }

TimeBounds total(TextGraph& g, const BoundedTimes& bounds, const std::string& name) {
  const SymbolIndex symbol = g.index(name);
  return bounds.total(std::span(&symbol, 1));
}

TimeBounds arc(TextGraph& g, const BoundedTimes& bounds, const std::string& from,
               const std::string& to) {
  const SymbolIndex caller = g.index(from);
  const SymbolIndex callee = g.index(to);
  return bounds.arc(std::span(&caller, 1), std::span(&callee, 1));
}

}  // namespace

TEST_CASE("a total lies between what only the function reaches and all that it reaches") {
  TextGraph g(
      "main 100 a 400 b 900 shared 1600 own 2500 "
      "main->a 1 main->b 1 a->shared 1 b->shared 1 a->own 3");
  const BoundedTimes bounds(g.graph, {});
  CHECK(total(g, bounds, "a").low == Approx(lowest(2900)));
  CHECK(total(g, bounds, "a").high == Approx(highest(4500)));
  CHECK(total(g, bounds, "main").low == Approx(lowest(5500)));
  CHECK(total(g, bounds, "own").high == Approx(highest(2500)));
  CHECK(arc(g, bounds, "a", "shared").low == 0);
  CHECK(arc(g, bounds, "a", "shared").high == Approx(highest(1600)));
  CHECK(arc(g, bounds, "a", "own").low == Approx(lowest(2500)));
}

TEST_CASE("a cycle has bounds, too") {
  TextGraph g("main 0 a 100 b 400 c 900 main->a 1 a->b 1 b->c 1 c->a 5");
  const BoundedTimes bounds(g.graph, {});
  CHECK(total(g, bounds, "a").low == Approx(lowest(1400)));
  CHECK(total(g, bounds, "c").low == Approx(lowest(900)));
  CHECK(total(g, bounds, "c").high == Approx(highest(1400)));
  CHECK(arc(g, bounds, "c", "a").low == 0);
}

TEST_CASE("code that counts no calls may have been entered from whatever leaves the counted code") {
  TextGraph g("main 0 a 100 b 100 callback 900 ?->callback 10 main->a 1 main->b 1");
  UninstrumentedCode uncounted;
  uncounted.entered = std::vector<std::uint8_t>{0, 0, 0, 1};
  uncounted.leaves = std::vector<std::uint8_t>{0, 1, 0, 0};
  const BoundedTimes bounds(g.graph, uncounted);
  CHECK(total(g, bounds, "a").high == Approx(highest(1000)));
  CHECK(total(g, bounds, "b").high == Approx(highest(100)));
  // A thread of the library may have called it.
  CHECK(total(g, bounds, "a").low == Approx(lowest(100)));
  // Whatever called it, its own time is part of its total.
  CHECK(total(g, bounds, "callback").low == Approx(lowest(900)));
}

TEST_CASE("of a row behind all symbols nothing is known of uncounted code") {
  TextGraph g("main 0 a 100 callback 900 unknown 50 ?->callback 10 main->a 1");
  UninstrumentedCode uncounted;
  uncounted.entered = std::vector<std::uint8_t>{0, 0, 1};
  uncounted.leaves = std::vector<std::uint8_t>{0, 1, 0};
  const BoundedTimes bounds(g.graph, uncounted);
  CHECK(total(g, bounds, "unknown").low == Approx(lowest(50)));
  CHECK(total(g, bounds, "unknown").high == Approx(highest(50)));
  CHECK(total(g, bounds, "a").high == Approx(highest(1000)));
}

TEST_CASE("where a walk would take too long, bounds are wider and as certain") {
  TextGraph g(
      "main 100 a 400 b 900 shared 1600 deep 2500 "
      "main->a 1 main->b 1 a->shared 1 b->shared 1 shared->deep 1 b->deep 3");
  const BoundedTimes bounds(g.graph, {}, {}, 1);
  // The callees' upper bounds are added up, ignoring overlaps; the whole run is also a bound.
  CHECK(total(g, bounds, "b").high >= highest(5000));
  CHECK(total(g, bounds, "b").high <= highest(5500));
  CHECK(total(g, bounds, "main").high == Approx(highest(5500)));
  CHECK(total(g, bounds, "deep").high == Approx(highest(2500)));
  CHECK(total(g, bounds, "shared").low == Approx(lowest(1600)));
  CHECK(arc(g, bounds, "main", "a").low == Approx(lowest(400)));
}

TEST_CASE("of a function of several symbols at least what each of them has for itself is certain") {
  TextGraph g(
      "main 100 f 400 clone 900 mine 1600 shared 2500 "
      "main->f 1 main->clone 1 f->mine 1 f->shared 1 clone->shared 1");
  const std::vector<SymbolIndex> function = {g.index("f"), g.index("clone")};
  const std::vector<SymbolIndex> caller = {g.index("main")};
  const BoundedTimes exact(g.graph, {});
  CHECK(exact.total(function).low == Approx(lowest(5400)));
  CHECK(exact.arc(caller, function).low == Approx(lowest(5400)));
  const BoundedTimes weaker(g.graph, {}, {}, 1);
  CHECK(weaker.total(function).low == Approx(lowest(2900)));
  CHECK(weaker.arc(caller, function).low == Approx(lowest(2900)));
  CHECK(weaker.total(function).high >= exact.total(function).high);
}

namespace {

// A run of a program: each call of a function costs something different, and is sampled at random.
class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {
    functions_ = 4 + static_cast<unsigned>(random_() % 8);
    path_.push_back(0);
    run(0);
  }

  struct Truth {
    std::map<SymbolIndex, double> totals;
    std::map<std::pair<SymbolIndex, SymbolIndex>, double> arcs;
  };
  // Expected samples. Takes `samples` samples in all.
  void sample(unsigned samples);

  [[nodiscard]] std::span<const SiteArc> sites() const { return sites_; }
  std::vector<Ticks> self;
  Truth truth;
  StackSamples stacks;

 private:
  void run(unsigned depth);
  void add_truth(const std::vector<SymbolIndex>& path, double expected);

  std::mt19937 random_;
  unsigned functions_ = 0;
  std::vector<SymbolIndex> path_;
  std::map<std::vector<SymbolIndex>, double> costs_;
  std::map<std::pair<SymbolIndex, SymbolIndex>, std::uint64_t> calls_;
  std::vector<SiteArc> sites_;
};

void RandomRun::run(unsigned depth) {
  costs_[path_] += std::exp(std::uniform_real_distribution<double>(0, 6)(random_));
  if (depth > 7) return;
  const auto calls = static_cast<unsigned>(random_() % 4);
  for (unsigned i = 0; i < calls; ++i) {
    const auto callee = static_cast<SymbolIndex>(1 + random_() % (functions_ - 1));
    ++calls_[{path_.back(), callee}];
    path_.push_back(callee);
    run(depth + 1);
    path_.pop_back();
  }
}

void RandomRun::add_truth(const std::vector<SymbolIndex>& path, double expected) {
  std::map<SymbolIndex, bool> functions;
  std::map<std::pair<SymbolIndex, SymbolIndex>, bool> arcs;
  for (std::size_t i = 0; i < path.size(); ++i) {
    functions[path[i]] = true;
    if (i > 0 && path[i - 1] != path[i]) arcs[{path[i - 1], path[i]}] = true;
  }
  for (const auto& [function, seen] : functions) truth.totals[function] += expected;
  for (const auto& [ends, seen] : arcs) truth.arcs[ends] += expected;
}

void RandomRun::sample(unsigned samples) {
  double all = 0;
  for (const auto& [path, cost] : costs_) all += cost;
  self.assign(functions_, 0);
  for (const auto& [path, cost] : costs_) {
    const double expected = samples * cost / all;
    add_truth(path, expected);
    const auto count = static_cast<Ticks>(std::poisson_distribution<int>(expected)(random_));
    if (count == 0) continue;
    self[path.back()] += count;
    std::vector<StackFrame> frames;
    for (auto f = path.rbegin(); f != path.rend(); ++f) {
      frames.push_back({*f, StackSamples::own_module, Address{100 * (*f + 1)}});
    }
    stacks.add_stack(count, false, frames);
  }
  for (const auto& [ends, count] : calls_) {
    sites_.push_back({Address{sites_.size()}, ends.first, ends.second, count});
  }
}

}  // namespace

TEST_CASE("of random runs, what is measured is right within its error, and bounds hold the truth") {
  unsigned figures = 0;
  unsigned within = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    RandomRun run(seed);
    run.sample(20'000);
    const CallGraph graph = CallGraph::build(run.self, run.sites());
    const StackTimes measured(run.stacks, run.self.size());
    REQUIRE(measured.known());
    const BoundedTimes bounds(graph, {});
    const BoundedTimes weaker(graph, {}, {}, seed % 8);
    const auto check = [&](Ticks samples, double truth) {
      if (samples < 25) return;
      ++figures;
      if (std::abs(samples - truth) <= 3 * std::sqrt(samples)) ++within;
    };
    for (const auto& [symbol, truth] : run.truth.totals) {
      check(measured.total(symbol), truth);
      const TimeBounds found = bounds.total(std::span(&symbol, 1));
      INFO("seed " << seed << " function " << symbol << " " << found.low << " " << truth << " "
                   << found.high);
      CHECK(found.low <= truth);
      CHECK(truth <= found.high);
      CHECK(weaker.total(std::span(&symbol, 1)).low == found.low);
      CHECK(weaker.total(std::span(&symbol, 1)).high >= found.high);
    }
    for (const auto& [ends, truth] : run.truth.arcs) {
      check(measured.arc(ends.first, ends.second), truth);
      const TimeBounds found = bounds.arc(std::span(&ends.first, 1), std::span(&ends.second, 1));
      INFO("seed " << seed << " arc " << ends.first << " to " << ends.second);
      CHECK(found.low <= truth);
      CHECK(truth <= found.high);
      const TimeBounds wider = weaker.arc(std::span(&ends.first, 1), std::span(&ends.second, 1));
      CHECK(wider.low == found.low);
      CHECK(wider.high >= found.high);
    }
  }
  CHECK(figures > 1000);
  CHECK(within >= 0.99 * figures);
}
