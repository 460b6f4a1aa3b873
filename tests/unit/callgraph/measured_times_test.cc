#include "engine/callgraph/measured_times.h"

#include <array>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/callgraph/function_times.h"
#include "tests/unit/callgraph/text_graph.h"

using namespace gprof;
using gprof_tests::TextGraph;

namespace {

struct Measured {
  explicit Measured(const std::string& text)
      : text_graph(text), times(text_graph.stacks, text_graph.graph.callees_first().size()) {}

  Ticks total(const std::string& name) { return times.total(text_graph.index(name)); }
  Ticks arc(const std::string& caller, const std::string& callee) {
    return times.arc(text_graph.index(caller), text_graph.index(callee));
  }

  TextGraph text_graph;
  StackTimes times;
};

// The same function is cheap when called by one caller and expensive when called by the other.
const char* const cheap_and_dear =
    "main 1 cheap 1 dear 1 work 97 main->cheap 1 main->dear 1 cheap->work 100 dear->work 100 "
    "main;cheap;work 2 main;dear;work 95 main;dear 1 main;cheap 1 main; 1";

}  // namespace

TEST_CASE("a function that is dear from one caller is measured, not averaged") {
  Measured m(cheap_and_dear);
  CHECK(m.total("main") == 100);
  CHECK(m.total("dear") == 96);
  CHECK(m.total("cheap") == 3);
  CHECK(m.arc("dear", "work") == 95);
  CHECK(m.arc("cheap", "work") == 2);
  const CallGraph graph = m.text_graph.graph.with(m.times);
  CHECK(graph.is_measured());
  CHECK(graph.node(m.text_graph.index("dear")).total() == Approx(96));
  // gprof's own estimate remains available.
  CHECK(m.text_graph.node("dear").total() == Approx(1 + 97.0 / 2));
}

TEST_CASE("what is left out of a stack called nobody, and widens the error of who may be there") {
  Measured m(
      "main 0 outer 0 f 0 leaf 100 main->outer 1 outer->f 1 f->leaf 9 main;outer;f;leaf 64 "
      "main;outer;...;leaf 36");
  CHECK(m.total("main") == 100);
  CHECK(m.total("f") == 64);
  CHECK(m.arc("f", "leaf") == 64);
  CHECK(m.arc("outer", "leaf") == 0);
  CHECK(m.arc("main", "outer") == 100);
  const auto unseen = [&](const std::string& name) {
    return m.times.unseen(std::array{m.text_graph.index(name)});
  };
  CHECK(unseen("f") == 36);
  CHECK(unseen("main") == 0);
  const CallGraph graph = m.text_graph.graph.with(m.times);
  const FunctionTimes times(graph, m.times, {});
  CHECK(times.of(std::array{m.text_graph.index("f")}).error == Approx(8 + 36));
  CHECK(times.of(std::array{m.text_graph.index("main")}).error == Approx(10));
  // It calls nothing, so it can only be seen.
  CHECK(times.of(std::array{m.text_graph.index("leaf")}).error == Approx(10));
}

TEST_CASE("calls that are not counted are known by where they were seen on stacks") {
  Measured m("main 0 f 0 g 0 leaf 10 main;f;leaf 6 main;[libc.so;g;leaf 3 main;...;leaf 1");
  const auto place_in = [&](const std::string& name) {
    return Address{100 * (m.text_graph.index(name) + std::uint64_t{1})};
  };
  const auto places_of = [&](const std::string& caller, const std::string& callee) {
    return m.times.places_of(m.text_graph.index(caller), m.text_graph.index(callee));
  };
  CHECK(places_of("f", "leaf") == std::vector{place_in("f")});
  CHECK(places_of("main", "g") == std::vector{place_in("main")});  // through the library
  CHECK(places_of("main", "leaf").empty());                        // what is left out may have been
  CHECK(places_of("leaf", "main").empty());
  const AddressRange in_main = {place_in("main"), place_in("main") + 1};
  CHECK(m.times.callees_at(std::array{in_main}) ==
        std::vector{m.text_graph.index("f"), m.text_graph.index("g")});
  CHECK(
      m.times.callees_at(std::array{AddressRange{place_in("leaf"), place_in("leaf") + 1}}).empty());
}

TEST_CASE("recursion counts a sample once") {
  Measured m("main 0 f 10 main->f 1 f->f 9 main;f;f;f 6 main;f;f 4");
  CHECK(m.total("f") == 10);
  CHECK(m.arc("main", "f") == 10);
  CHECK(m.arc("f", "f") == 0);
  const auto arcs = m.times.arcs();
  REQUIRE(arcs.size() == 2);  // main itself has no caller
  CHECK(arcs[0].ticks == 10);
  CHECK(arcs[0].self == 10);
}

TEST_CASE("the members of a cycle have times of their own") {
  Measured m(
      "main 0 a 1 b 4 c 5 main->a 1 a->b 2 b->c 2 c->a 1 "
      "main;a 1 main;a;b 3 main;a;b;c;a;b 1 main;a;b;c 5");
  CHECK(m.total("a") == 10);
  CHECK(m.total("b") == 9);
  CHECK(m.total("c") == 6);
  CHECK(m.arc("a", "b") == 9);
  CHECK(m.arc("c", "a") == 1);
  const CallGraph graph = m.text_graph.graph.with(m.times);
  const SymbolIndex b = m.text_graph.index("b");
  CHECK(graph.node(b).self == 4);
  CHECK(graph.node(b).children == 5);
  REQUIRE(graph.cycle_count() == 1);
  CHECK(graph.cycle(1).self + graph.cycle(1).children == 10);
}

TEST_CASE("code of other modules keeps neighbours together and is part of totals") {
  Measured m(
      "main 0 sort 1 compare 5 main->sort 1 sort->compare 40 "
      "main;sort;[libc.so.6];compare 5 main;sort;[libc.so.6] 3 main;sort 1");
  CHECK(m.arc("sort", "compare") == 5);
  CHECK(m.total("sort") == 9);
  const std::array function = {m.text_graph.index("sort")};
  CHECK(m.times.external_below(function) == 3);
  CHECK(m.text_graph.stacks.external() == 3);
  const auto callees = m.times.callees(function);
  REQUIRE(callees.size() == 1);
  CHECK(callees.front().ticks == 5);
  CHECK(callees.front().self == 5);
}

TEST_CASE("calls of other modules are known by where they are and what they reached") {
  Measured m(
      "main 0 sort 1 compare 5 main->sort 1 sort->compare 40 "
      "main;sort;[libc:qsort;compare 5 main;sort;[libc:qsort;[libc:memcpy 3 main;sort 1 "
      "main;[libm:sin 7 main;...;[libm:sin 2 main;sort;[libc:qsort;compare;[libc:memcpy 4");
  const auto number = [&](const ExternalCode& code) { return *m.text_graph.stacks.find(code); };
  const std::array sort = {m.text_graph.index("sort")};
  const auto of_sort = m.times.external_calls(sort);
  REQUIRE(of_sort.size() == 1);
  // What compare called is compare's.
  CHECK(of_sort.front().ticks == 3);
  CHECK(m.times.external_below(sort) == 3);
  CHECK(of_sort.front().module == number({"[libc", "qsort"}));
  CHECK(of_sort.front().call == Address{200});
  const AddressRange main_code = {Address{100}, Address{101}};
  const std::array twice = {main_code, main_code};
  const auto of_main = m.times.external_calls_at(twice);
  REQUIRE(of_main.size() == 1);
  CHECK(of_main.front().ticks == 7);
  CHECK(of_main.front().module == number({"[libm", "sin"}));
  CHECK(m.times.external_total(number({"[libc", "qsort"})) == 12);
  CHECK(m.times.external_total(number({"[libc", "memcpy"})) == 7);
  CHECK(m.times.external_total(1000) == 0);
}

TEST_CASE("symbols that are one function are counted once a sample") {
  Measured m("main 0 f 2 g 6 main->f 1 f->g 1 main;f 2 main;f;g 6");
  const std::array both = {m.text_graph.index("f"), m.text_graph.index("g")};
  CHECK(m.times.total(both) == 8);
  const auto callers = m.times.callers(both);
  REQUIRE(callers.size() == 1);
  CHECK(callers.front().ticks == 8);
  const FunctionTimes times(m.text_graph.graph, m.times, {});
  CHECK(times.of(both).self == 8);
  CHECK(times.of(both).children == 0);
}

TEST_CASE("lines are measured by their places, and calls by what they led to") {
  Measured m("main 0 f 2 g 6 main->f 1 f->g 1 main;f 2 main;f;g 6");
  // The text graph puts a function's frames at 100 times its number, counted from 1.
  const AddressRange main_code = {Address{100}, Address{101}};
  const AddressRange f_code = {Address{200}, Address{201}};
  CHECK(m.times.at(std::span(&f_code, 1)) == 8);
  CHECK(m.times.calls_at(std::span(&main_code, 1), m.text_graph.index("f")) == 8);
  CHECK(m.times.calls_at(std::span(&f_code, 1), m.text_graph.index("g")) == 6);
  CHECK(m.times.calls_at(std::span(&f_code, 1), m.text_graph.index("main")) == 0);
}

TEST_CASE("stacks that do not speak for every sample measure nothing") {
  TextGraph g("main 10 f 90 main->f 1 main;f 90 main; 5");
  g.stacks.add_run_without(5);
  const auto measured = measured_times(g.stacks, {}, 2);
  const MeasuredTimes& times = *measured;
  CHECK_FALSE(times.known());
  CHECK(times.total(0) == 0);
  CHECK_FALSE(g.graph.with(times).is_measured());
}

TEST_CASE("an arc that was seen and not counted is added") {
  Measured m("main 1 plain 9 main;plain 9 main; 1");
  const CallGraph graph = m.text_graph.graph.with(m.times);
  const auto callees = graph.callees(m.text_graph.index("main"));
  REQUIRE(callees.size() == 1);
  CHECK(graph.arc(callees.front()).count == 0);
  CHECK(graph.arc(callees.front()).self_share == 9);
}

TEST_CASE("errors of estimates follow the arcs") {
  TextGraph g("main 100 f 0 e 10000 main->f 1 f->e 1 main->e 9");
  const MeasuredTimes nothing;
  const FunctionTimes times(g.graph, nothing, {});
  const SymbolIndex f = g.index("f");
  const FunctionTime of_f = times.of(std::span(&f, 1));
  CHECK_FALSE(of_f.measured);
  CHECK(of_f.total() == Approx(1000));
  // A tenth of e's time has a tenth of its error, which is less than the error of 1,000 samples.
  CHECK(of_f.error == Approx(10));
  const SymbolIndex main_function = g.index("main");
  CHECK(times.of(std::span(&main_function, 1)).error == Approx(std::sqrt(10100.0)));
  const FunctionTimes counted(g.graph, nothing, SampleErrors::none());
  CHECK(counted.of(std::span(&f, 1)).error == 0);
}
