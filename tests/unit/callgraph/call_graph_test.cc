#include "engine/callgraph/call_graph.h"

#include <map>
#include <random>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

// A call graph in words: lines "name TICKS" give self times, lines "caller->callee COUNT" arcs
// (caller "?" is spontaneous). Functions are numbered in the order in which they appear.
class TextGraph {
 public:
  explicit TextGraph(const std::string& text) {
    std::istringstream lines(text);
    std::string subject;
    std::uint64_t number = 0;
    while (lines >> subject >> number) {
      const std::size_t arrow = subject.find("->");
      if (arrow == std::string::npos) {
        self_[index(subject)] = static_cast<Ticks>(number);
      } else {
        const std::string caller = subject.substr(0, arrow);
        const SymbolIndex from = caller == "?" ? no_symbol : index(caller);
        sites_.push_back({Address{sites_.size()}, from, index(subject.substr(arrow + 2)), number});
      }
    }
    graph = CallGraph::build(self_, sites_);
  }

  const GraphNode& node(const std::string& name) { return graph.node(index(name)); }
  const GraphArc& arc(const std::string& caller, const std::string& callee) {
    for (const GraphArc& arc : graph.arcs()) {
      const SymbolIndex from = caller == "?" ? no_symbol : index(caller);
      if (arc.caller == from && arc.callee == index(callee)) return arc;
    }
    throw std::out_of_range(caller + "->" + callee);
  }

  CallGraph graph;

 private:
  SymbolIndex index(const std::string& name) {
    const auto [entry, inserted] =
        index_.try_emplace(name, static_cast<SymbolIndex>(index_.size()));
    if (inserted) self_.push_back(0);
    return entry->second;
  }

  std::map<std::string, SymbolIndex> index_;
  std::vector<Ticks> self_;
  std::vector<SiteArc> sites_;
};

}  // namespace

TEST_CASE("time flows to callers in proportion to their calls") {
  TextGraph g("main 10 f 100 g 40 main->f 3 main->g 1 f->g 4");
  CHECK(g.node("g").calls == 5);
  CHECK(g.arc("f", "g").self_share == Approx(32));
  CHECK(g.node("f").children == Approx(32));
  CHECK(g.arc("main", "f").self_share == Approx(100));
  CHECK(g.arc("main", "f").children_share == Approx(32));
  CHECK(g.node("main").total() == Approx(150));
}

TEST_CASE("calls of itself are told apart and take no share") {
  TextGraph g("main 0 f 60 main->f 10 f->f 4");
  CHECK(g.node("f").calls == 10);
  CHECK(g.node("f").self_calls == 4);
  CHECK(g.node("f").cycle == 0);
  CHECK(g.arc("main", "f").self_share == Approx(60));
  CHECK(g.node("main").children == Approx(60));
}

TEST_CASE("a cycle is one entity") {
  // The cycle of the manual's example: a calls b and c, b calls a, main starts it.
  TextGraph g("main 0 a 10 b 20 c 5 d 8 main->a 2 a->b 6 b->a 3 b->c 4 c->a 1 c->d 2 main->d 2");
  REQUIRE(g.graph.cycle_count() == 1);
  const Cycle& cycle = g.graph.cycle(1);
  CHECK(cycle.members.size() == 3);
  CHECK(cycle.calls == 2);
  CHECK(cycle.internal_calls == 14);
  CHECK(cycle.self == Approx(35));
  CHECK(cycle.children == Approx(4));
  CHECK(g.arc("a", "b").self_share == 0);
  CHECK(g.arc("main", "a").self_share == Approx(35));
  CHECK(g.arc("main", "a").children_share == Approx(4));
  CHECK(g.node("c").children == Approx(4));
  CHECK(g.node("main").total() == Approx(43));
}

TEST_CASE("the share of an arc into a cycle counts calls from outside only") {
  TextGraph g("main 0 other 0 a 30 b 10 main->a 1 other->b 3 a->b 100 b->a 50");
  CHECK(g.arc("main", "a").self_share == Approx(10));
  CHECK(g.arc("other", "b").self_share == Approx(30));
}

TEST_CASE("spontaneous calls have a share that nobody receives") {
  TextGraph g("main 0 handler 20 ?->handler 1 main->handler 3");
  CHECK(g.node("handler").calls == 4);
  CHECK(g.arc("?", "handler").self_share == Approx(5));
  CHECK(g.node("main").children == Approx(15));
}

TEST_CASE("sites of one arc are one arc") {
  TextGraph g("main 0 f 9 main->f 1 main->f 2");
  CHECK(g.graph.arcs().size() == 1);
  CHECK(g.arc("main", "f").count == 3);
}

TEST_CASE("a call chain as deep as the program is long needs no stack") {
  std::vector<Ticks> self(200'000, 1);
  std::vector<SiteArc> sites;
  for (SymbolIndex i = 0; i + 1 < self.size(); ++i) sites.push_back({Address{i}, i, i + 1, 1});
  const CallGraph graph = CallGraph::build(self, sites);
  CHECK(graph.node(0).total() == Approx(200'000));
  sites.push_back({Address{sites.size()}, static_cast<SymbolIndex>(self.size() - 1), 0, 1});
  CHECK(CallGraph::build(self, sites).cycle_count() == 1);
}

TEST_CASE("propagation conserves time on random graphs") {
  std::mt19937 random(GENERATE(range(1U, 60U)));
  const auto functions = static_cast<SymbolIndex>(2 + random() % 30);
  std::vector<Ticks> self(functions);
  Ticks total = 0;
  for (Ticks& ticks : self) total += ticks = static_cast<Ticks>(random() % 1000);
  // Function 0 is called by nobody, and everything hangs on it: it must end up with all the time.
  std::vector<SiteArc> sites;
  for (SymbolIndex callee = 1; callee < functions; ++callee) {
    sites.push_back({Address{sites.size()}, static_cast<SymbolIndex>(random() % callee), callee,
                     1 + random() % 50});
  }
  const std::size_t more = random() % (3 * functions);
  for (std::size_t i = 0; i < more; ++i) {
    const auto callee = static_cast<SymbolIndex>(1 + random() % (functions - 1));
    const auto caller = static_cast<SymbolIndex>(random() % functions);
    sites.push_back({Address{sites.size()}, caller, callee, 1 + random() % 50});
  }
  const CallGraph graph = CallGraph::build(self, sites);
  CHECK(graph.node(0).total() == Approx(total));
}
