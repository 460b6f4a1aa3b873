#include "engine/callgraph/call_graph.h"

#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/callgraph/strong_components.h"
#include "tests/support/test_seed.h"
#include "tests/unit/callgraph/text_graph.h"

using namespace gprof;
using gprof_tests::TextGraph;

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
  std::mt19937 random(test_seed(GENERATE(range(1U, 60U))));
  const auto functions = static_cast<SymbolIndex>(2 + random() % 30);
  std::vector<Ticks> self(functions);
  Ticks total = 0;
  for (Ticks& ticks : self) total += ticks = static_cast<Ticks>(random() % 1000);
  // Function 0 has no caller, and everything depends on it: it must end up with all the time.
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

namespace {

// A rule for a graph whose functions are numbered as they appear; "10" is yes for the first, no for
// the second.
std::vector<bool> rule(std::string_view letters) {
  std::vector<bool> flags;
  for (const char letter : letters) flags.push_back(letter == '1');
  return flags;
}

struct Call {
  SymbolIndex caller;
  SymbolIndex callee;
  std::uint64_t count;
};

CallGraph graph_of(const std::vector<Ticks>& self, const std::vector<Call>& calls,
                   const PropagationRules& rules = {}) {
  std::vector<SiteArc> sites;
  for (const Call& call : calls) sites.push_back({Address{}, call.caller, call.callee, call.count});
  return CallGraph::build(self, sites, rules);
}

StrongComponents components_of(const std::vector<std::vector<std::uint32_t>>& successors) {
  const auto of = [&](std::uint32_t node) { return std::span(successors[node]); };
  return strong_components(static_cast<std::uint32_t>(successors.size()), of);
}

using Nodes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("propagation rules: without any, all time is propagated and all entries are printed") {
  const CallGraph graph = graph_of({10, 20}, {{0, 1, 2}});
  for (const SymbolIndex symbol : {0U, 1U}) {
    CHECK(graph.node(symbol).propagated.fraction == 1);
    CHECK(graph.node(symbol).propagated.printed);
    CHECK(graph.node(symbol).propagated.total() == graph.node(symbol).total());
  }
  CHECK(graph.propagated_ticks() == 30);
}

TEST_CASE("propagation rules: a function whose time ends hands its callers nothing") {
  PropagationRules rules;
  rules.begins_time = rule("101");
  rules.ends_time = rule("010");
  const CallGraph graph = graph_of({10, 20, 40}, {{0, 1, 2}, {1, 2, 1}, {0, 2, 3}}, rules);
  CHECK(graph.node(1).propagated.fraction == 0);
  CHECK(graph.node(1).propagated.self == 0);
  // Its callees keep the part of their time that others call for.
  CHECK(graph.node(2).propagated.fraction == Approx(0.75));
  CHECK(graph.node(2).propagated.self == Approx(30));
  CHECK(graph.node(0).propagated.children == Approx(30));
  CHECK(graph.propagated_ticks() == Approx(40));
}

TEST_CASE("propagation rules: time begins at the chosen functions alone") {
  PropagationRules rules;
  rules.begins_time = rule("010");
  const CallGraph graph = graph_of({10, 20, 40}, {{0, 1, 2}, {1, 2, 1}, {0, 2, 3}}, rules);
  CHECK(graph.node(0).propagated.fraction == 0);
  CHECK(graph.node(0).propagated.total() == 0);
  CHECK(graph.node(1).propagated.fraction == 1);
  CHECK(graph.node(2).propagated.fraction == Approx(0.25));
  CHECK(graph.node(1).propagated.children == Approx(10));
  CHECK(graph.propagated_ticks() == Approx(30));
}

TEST_CASE("propagation rules: entries are printed with those that they are called by") {
  PropagationRules rules;
  rules.begins_printing = rule("0100");
  rules.ends_printing = rule("0001");
  const CallGraph graph = graph_of({1, 1, 1, 1}, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}, rules);
  CHECK_FALSE(graph.node(0).propagated.printed);
  CHECK(graph.node(1).propagated.printed);
  CHECK(graph.node(2).propagated.printed);
  CHECK_FALSE(graph.node(3).propagated.printed);
}

TEST_CASE("propagation rules: hiding one function does not hide what it calls") {
  PropagationRules rules;
  rules.begins_printing = rule("101");
  rules.ends_printing = rule("010");
  const CallGraph graph = graph_of({1, 1, 1}, {{0, 1, 1}, {1, 2, 1}}, rules);
  CHECK(graph.node(0).propagated.printed);
  CHECK_FALSE(graph.node(1).propagated.printed);
  CHECK(graph.node(2).propagated.printed);
}

TEST_CASE("a cycle inherits from the callers of all its members, and they from it") {
  PropagationRules rules;
  rules.begins_time = rule("0100");
  // Functions 2 and 3 are the cycle; 0 calls one member and 1, where time begins, the other.
  const CallGraph graph =
      graph_of({0, 0, 30, 10}, {{0, 2, 1}, {1, 3, 3}, {2, 3, 9}, {3, 2, 9}}, rules);
  REQUIRE(graph.cycle_count() == 1);
  CHECK(graph.cycle(1).propagated.fraction == Approx(0.75));
  CHECK(graph.node(2).propagated.fraction == Approx(0.75));
  CHECK(graph.node(3).propagated.self == Approx(7.5));
  CHECK(graph.cycle(1).propagated.self == Approx(30));
}

TEST_CASE("a cycle that nobody enters is not printed as a whole, its members are") {
  const CallGraph graph = graph_of({10, 30}, {{0, 1, 2}, {1, 0, 2}});
  REQUIRE(graph.cycle_count() == 1);
  const Cycle& cycle = graph.cycle(1);
  CHECK(cycle.calls == 0);
  CHECK_FALSE(cycle.propagated.printed);
  CHECK(cycle.propagated.fraction == 0);
  CHECK(cycle.self == 40);
  for (const SymbolIndex member : cycle.members) {
    CHECK(graph.node(member).propagated.printed);
    CHECK(graph.node(member).propagated.fraction == 1);
  }
}

TEST_CASE("members without a fraction add nothing to their cycle's time") {
  PropagationRules rules;
  rules.ends_time = rule("001");
  const CallGraph graph = graph_of({5, 10, 30}, {{0, 1, 1}, {1, 2, 1}, {2, 1, 1}}, rules);
  REQUIRE(graph.cycle_count() == 1);
  CHECK(graph.cycle(1).self == 10);
  CHECK(graph.node(0).children == 10);
}

TEST_CASE("calls that were never made complete cycles and carry no time") {
  const CallGraph open = graph_of({1, 10, 20}, {{0, 1, 1}, {1, 2, 5}});
  CHECK(open.cycle_count() == 0);
  const CallGraph closed = graph_of({1, 10, 20}, {{0, 1, 1}, {1, 2, 5}, {2, 1, 0}});
  REQUIRE(closed.cycle_count() == 1);
  CHECK(closed.cycle(1).internal_calls == 5);
  CHECK(closed.cycle(1).self == 30);
  CHECK(closed.node(0).children == 30);

  const CallGraph never = graph_of({1, 10}, {{0, 1, 0}});
  CHECK(never.node(1).calls == 0);
  CHECK(never.arc(0).self_share == 0);
  CHECK(never.node(0).children == 0);
  CHECK(never.node(1).propagated.fraction == 1);
}

TEST_CASE("counts saturate") {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const CallGraph graph = graph_of({0, 0}, {{0, 1, most}, {0, 1, 7}, {1, 1, most}, {1, 1, 1}});
  CHECK(graph.node(1).calls == most);
  CHECK(graph.node(1).self_calls == most);
}

TEST_CASE("strong components: whatever one reaches stands before it") {
  const StrongComponents found = components_of({{1, 3}, {2}, {}, {2}});
  CHECK(found.members == Nodes{2, 1, 3, 0});
  CHECK(found.first == Nodes{0, 1, 2, 3, 4});
}

TEST_CASE("strong components: the member that was reached first stands first") {
  // 0 enters the ring 3 -> 1 -> 2 -> 3 at 3.
  const StrongComponents found = components_of({{3}, {2}, {3}, {1}});
  CHECK(found.members == Nodes{3, 1, 2, 0});
  CHECK(found.first == Nodes{0, 3, 4});
}

TEST_CASE("strong components: the order in which members were found to belong together") {
  // 2 closes the ring of 1 and 2 first; 3 joins them to 0 later.
  const StrongComponents found = components_of({{1}, {2, 3}, {1}, {0}});
  CHECK(found.members == Nodes{0, 1, 2, 3});
  CHECK(found.first == Nodes{0, 4});
}

TEST_CASE("strong components: nothing, and nodes alone, also with arcs to themselves") {
  CHECK(components_of({}).members.empty());
  CHECK(components_of({}).first == Nodes{0});
  CHECK(components_of({{0}, {1}}).first == Nodes{0, 1, 2});
}

TEST_CASE("the roots of random graphs together end up with all the time") {
  std::mt19937 random(test_seed(GENERATE(range(1U, 80U))));
  const auto functions = static_cast<SymbolIndex>(1 + random() % 25);
  std::vector<Ticks> self(functions);
  Ticks total = 0;
  for (Ticks& ticks : self) total += ticks = static_cast<Ticks>(random() % 1000);
  std::vector<Call> calls;
  for (std::size_t i = random() % (3 * functions); i > 0; --i) {
    calls.push_back({static_cast<SymbolIndex>(random() % functions),
                     static_cast<SymbolIndex>(random() % functions), random() % 4 * 7});
  }
  const CallGraph graph = graph_of(self, calls);
  Ticks at_roots = 0;
  for (SymbolIndex symbol = 0; symbol < functions; ++symbol) {
    const GraphNode& node = graph.node(symbol);
    if (node.cycle == 0 && node.calls == 0) at_roots += node.total();
  }
  for (CycleNumber number = 1; number <= graph.cycle_count(); ++number) {
    const Cycle& cycle = graph.cycle(number);
    if (cycle.calls == 0) at_roots += cycle.self + cycle.children;
  }
  CHECK(at_roots == Approx(total));
  CHECK(graph.propagated_ticks() == Approx(total));
}

TEST_CASE("without rules a graph is what it is with rules that say nothing") {
  std::mt19937 random(test_seed(7));
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 12;
    std::vector<Ticks> self;
    for (std::size_t i = 0; i < count; ++i) self.push_back(static_cast<Ticks>(random() % 100));
    std::map<std::pair<SymbolIndex, SymbolIndex>, std::uint64_t> calls;
    for (std::size_t i = random() % (2 * count); i > 0; --i) {
      const auto caller = static_cast<SymbolIndex>(random() % (count + 1));
      const auto callee = static_cast<SymbolIndex>(random() % count);
      calls[{caller == count ? no_symbol : caller, callee}] = random() % 4;
    }
    std::vector<SiteArc> sites;
    for (const auto& [ends, number] : calls) {
      sites.push_back({Address{}, ends.first, ends.second, number});
    }
    PropagationRules rules;
    rules.ends_time = std::vector<bool>(count);
    const CallGraph plain = CallGraph::build(self, sites);
    const CallGraph ruled = CallGraph::build(self, sites, rules);

    std::vector<std::size_t> place(count);
    for (std::size_t i = 0; i < count; ++i) place[plain.callees_first()[i]] = i;
    for (const GraphArc& arc : plain.arcs()) {
      if (arc.caller == no_symbol || arc.caller == arc.callee) continue;
      const CycleNumber cycle = plain.node(arc.caller).cycle;
      const bool inside = cycle != 0 && plain.node(arc.callee).cycle == cycle;
      CHECK((inside || place[arc.callee] < place[arc.caller]));
    }
    REQUIRE(plain.cycle_count() == ruled.cycle_count());
    for (CycleNumber cycle = 1; cycle <= plain.cycle_count(); ++cycle) {
      CHECK(plain.cycle(cycle).members == ruled.cycle(cycle).members);
      CHECK(plain.cycle(cycle).self == Approx(ruled.cycle(cycle).self));
      CHECK(plain.cycle(cycle).children == Approx(ruled.cycle(cycle).children));
      CHECK(plain.cycle(cycle).propagated.printed == ruled.cycle(cycle).propagated.printed);
      CHECK(plain.cycle(cycle).propagated.fraction ==
            Approx(ruled.cycle(cycle).propagated.fraction));
    }
    for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
      CHECK(plain.node(symbol).children == Approx(ruled.node(symbol).children));
      CHECK(plain.node(symbol).propagated.total() == Approx(ruled.node(symbol).propagated.total()));
      CHECK(plain.node(symbol).propagated.printed == ruled.node(symbol).propagated.printed);
    }
  }
}
