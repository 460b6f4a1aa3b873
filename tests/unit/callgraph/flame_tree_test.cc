#include "engine/callgraph/flame_tree.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "engine/callgraph/measured_arcs.h"
#include "tests/support/made_up_profile.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::test;

namespace {

FlameTree tree_of(const Snapshot& snapshot, const FlameTreeRequest& request = {}) {
  return FlameTree::build({snapshot.symbols(), snapshot.profile(), snapshot.graph(),
                           snapshot.stacks(), snapshot.measured()},
                          request);
}

std::string name_of(const Snapshot& snapshot, const FlameFrame& frame) {
  switch (frame.kind) {
    case FlameFrameKind::function:
      return std::string(snapshot.symbols()[frame.number].name);
    case FlameFrameKind::inlined:
      return "inlined" + std::to_string(frame.number);
    case FlameFrameKind::module:
      return is_of_function(snapshot.stacks(), frame)
                 ? snapshot.stacks().external_code(frame.number).function
                 : "[" + snapshot.stacks().external_code(frame.number).module + "]";
    case FlameFrameKind::cycle:
      return "<" + std::to_string(frame.number) + ">";
    case FlameFrameKind::unknown:
      return "?";
    case FlameFrameKind::truncated:
      return "...";
    case FlameFrameKind::no_stack:
      return "!";
    case FlameFrameKind::collector:
      return "[collector]";
    case FlameFrameKind::root:
      break;
  }
  return "";
}

std::string number(Ticks ticks) { return std::to_string(std::lround(ticks)); }

// "main 10/100(f 70/70)": self and total; a following "-5": left out.
std::string text_of(const Snapshot& snapshot, const FlameTree& tree, std::uint32_t index = 0) {
  const FlameNode& node = tree.node(index);
  std::string text =
      name_of(snapshot, node.frame) + " " + number(node.self) + "/" + number(node.total);
  if (node.left_out > 0) text += "-" + number(node.left_out);
  std::string children;
  for (const std::uint32_t child : node.children) {
    children += (children.empty() ? "" : " ") + text_of(snapshot, tree, child);
  }
  return children.empty() ? text : text + "(" + children + ")";
}

void check_sums(const FlameTree& tree) {
  for (std::uint32_t i = 0; i < tree.nodes().size(); ++i) {
    const FlameNode& node = tree.node(i);
    Ticks sum = node.self + node.left_out;
    Ticks before = node.total;
    for (const std::uint32_t child : node.children) {
      REQUIRE(child > i);
      REQUIRE(tree.node(child).parent == i);
      REQUIRE(tree.node(child).depth == node.depth + 1);
      REQUIRE(tree.node(child).total <= before);
      before = tree.node(child).total;
      sum += before;
    }
    REQUIRE(sum == Approx(node.total).margin(1e-6));
  }
}

}  // namespace

TEST_CASE("without stacks, flames share time out as gprof does") {
  MadeUpProfile made("flames_estimated", {"main", "f", "g"});
  made.calls("?", "main", 1).calls("main", "f", 1).calls("main", "g", 1).calls("f", "g", 2);
  const auto snapshot = made.self("main", 10).self("f", 30).self("g", 60).snapshot();
  const FlameTree tree = tree_of(*snapshot);
  CHECK_FALSE(tree.measured());
  CHECK(text_of(*snapshot, tree) == " 0/100(main 10/100(f 30/70(g 40/40) g 20/20))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{made.symbol("f")}})) == " 0/70(f 30/70(g 40/40))");
}

TEST_CASE("what is called by nobody known stands at the root, with its part of the time") {
  MadeUpProfile made("flames_roots", {"main", "f", "thread"});
  made.calls("?", "main", 1).calls("?", "f", 3).calls("main", "f", 1);
  const auto snapshot = made.self("f", 40).self("thread", 5).snapshot();
  CHECK(text_of(*snapshot, tree_of(*snapshot)) == " 0/45(f 30/30 main 0/10(f 10/10) thread 5/5)");
}

TEST_CASE("a cycle is one entity of an estimated tree") {
  MadeUpProfile made("flames_cycle", {"main", "a", "b", "c", "leaf"});
  made.calls("?", "main", 1).calls("main", "a", 1);
  made.calls("a", "b", 5).calls("b", "c", 5).calls("c", "a", 4).calls("c", "leaf", 1);
  made.calls("main", "leaf", 1).calls("a", "a", 7);
  const auto snapshot = made.self("a", 10).self("b", 20).self("c", 30).self("leaf", 40).snapshot();
  const FlameTree tree = tree_of(*snapshot);
  CHECK(text_of(*snapshot, tree) ==
        " 0/100(main 0/100(<1> 0/80(c 30/50(leaf 20/20) b 20/20 a 10/10) leaf 20/20))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{made.symbol("c")}})) ==
        " 0/50(c 30/50(leaf 20/20))");
}

TEST_CASE("a cycle that nobody known calls begins with itself") {
  MadeUpProfile made("flames_lone_cycle", {"a", "b"});
  const auto snapshot =
      made.calls("a", "b", 5).calls("b", "a", 5).self("a", 10).self("b", 20).snapshot();
  CHECK(text_of(*snapshot, tree_of(*snapshot)) == " 0/30(<1> 0/30(b 20/20 a 10/10))");
}

TEST_CASE("stacks are the flames where there are any") {
  MadeUpProfile made("flames_measured", {"main", "work", "compare", "leaf"});
  made.calls("main", "work", 1);
  made.stack(30, {"main", "work", "leaf"}).stack(5, {"main", "leaf"}).stack(10, {"main", "work"});
  made.stack(20, {"main", "work", "/lib/libc.so.6", "/lib/libc.so.6", "compare"});
  made.stack(2, {"main", "/lib/libc.so.6"}).stack(4, {"leaf", "leaf"}, true);
  const auto snapshot = made.snapshot();
  const FlameTree tree = tree_of(*snapshot);
  CHECK(tree.measured());
  CHECK(text_of(*snapshot, tree) ==
        " 0/71(main 0/67(work 10/60(leaf 30/30 [libc.so.6] 0/20(compare 20/20)) leaf 5/5 "
        "[libc.so.6] 2/2) ... 0/4(leaf 0/4(leaf 4/4)))");
  // All stacks through a function, whatever called it, from its outermost frame.
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{made.symbol("leaf")}})) ==
        " 0/39(leaf 35/39(leaf 4/4))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{made.symbol("work")}})) ==
        " 0/60(work 10/60(leaf 30/30 [libc.so.6] 0/20(compare 20/20)))");
}

TEST_CASE("inlined functions are frames below the function that holds their code") {
  MadeUpProfile made("flames_inlined", {"main", "work", "leaf"});
  made.stack(30, {"main", "work", "leaf"}).stack(10, {"main", "work"}).stack(5, {"main"});
  const auto snapshot = made.snapshot();
  InlinedChains chains;
  const auto inline_into = [&](std::string_view innermost, std::vector<std::uint32_t> functions) {
    for (std::size_t i = 0; i < snapshot->stacks().size(); ++i) {
      for (const StackFrame& frame : snapshot->stacks()[i].frames) {
        if (snapshot->symbols()[frame.symbol].name == innermost) chains.add(frame.place, functions);
      }
    }
  };
  inline_into("work", {7, 2});
  inline_into("leaf", {7});
  FlameTreeParts parts{snapshot->symbols(), snapshot->profile(),  snapshot->graph(),
                       snapshot->stacks(),  snapshot->measured(), &chains};
  const FlameTree tree = FlameTree::build(parts, {});
  check_sums(tree);
  CHECK(text_of(*snapshot, tree) ==
        " 0/45(main 5/45(work 0/40(inlined7 0/40(inlined2 10/40(leaf 0/30(inlined7 30/30))))))");
  CHECK(text_of(*snapshot, FlameTree::build(parts, {{made.symbol("work")}})) ==
        " 0/40(work 0/40(inlined7 0/40(inlined2 10/40(leaf 0/30(inlined7 30/30)))))");
}

TEST_CASE("functions of libraries stand in flames as they were called") {
  MadeUpProfile made("flames_libraries", {"main", "compare"});
  made.stack(30, {"main", "/lib/libc.so.6:snprintf", "/lib/libc.so.6:vsnprintf"});
  made.stack(20, {"main", "/lib/libc.so.6:qsort", "/lib/libc.so.6:sort", "/lib/libc.so.6:sort",
                  "compare"});
  made.stack(5, {"main", "/lib/libc.so.6:qsort", "/lib/libc.so.6:sort"});
  made.stack(2, {"main", "/lib/libc.so.6", "/lib/libc.so.6"});
  made.stack(1, {"compare", "/lib/libm.so.6:sort"});
  const auto snapshot = made.snapshot();
  CHECK(text_of(*snapshot, tree_of(*snapshot)) ==
        " 0/58(main 0/57(snprintf 0/30(vsnprintf 30/30) "
        "qsort 0/25(sort 5/25(sort 0/20(compare 20/20))) [libc.so.6] 2/2) compare 0/1(sort 1/1))");
  // A function is one of its library.
  const MeasuredTimes& measured = snapshot->measured();
  const auto total = [&](const ExternalCode& code) {
    const auto number = snapshot->stacks().find(code);
    return number ? measured.external_total(*number) : -1;
  };
  CHECK(total({"libc.so.6", "sort"}) == 25);
  CHECK(total({"libm.so.6", "sort"}) == 1);
  CHECK(total({"libc.so.6", "snprintf"}) == 30);
  CHECK(total({"libc.so.6", "unknown"}) == -1);
}

TEST_CASE("samples that were counted without their stack keep their time") {
  MadeUpProfile made("flames_lost", {"main", "leaf"});
  const auto snapshot =
      made.stack(990, {"main", "leaf"}).lost("leaf", 4).lost("main", 2).snapshot();
  CHECK(text_of(*snapshot, tree_of(*snapshot)) ==
        " 0/996(main 0/990(leaf 990/990) ! 0/6(leaf 4/4 main 2/2))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{made.symbol("leaf")}})) == " 0/994(leaf 994/994)");
}

TEST_CASE("what is left out of a tree stays in its parent's total") {
  MadeUpProfile made("flames_left_out", {"main", "big", "small", "deep"});
  made.stack(90, {"main", "big", "deep"}).stack(6, {"main", "small"}).stack(4, {"main"});
  const auto snapshot = made.snapshot();
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{}, 0.1})) ==
        " 0/100(main 4/100-6(big 0/90(deep 90/90)))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{}, 0, 2})) ==
        " 0/100(main 4/100(big 0/90-90 small 6/6))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{}, 0, 9, 3})) ==
        " 0/100(main 4/100-6(big 0/90-90))");
  CHECK(text_of(*snapshot, tree_of(*snapshot, {{}, 0, 0})) == " 0/100-100");
}

TEST_CASE("nodes of one time stand in the order of their names") {
  MadeUpProfile made("flames_order", {"main", "c", "a", "b"});
  made.stack(1, {"main", "b"}).stack(1, {"main", "c"}).stack(1, {"main", "a"});
  const auto snapshot = made.snapshot();
  CHECK(text_of(*snapshot, tree_of(*snapshot)) == " 0/3(main 0/3(a 1/1 b 1/1 c 1/1))");
}

TEST_CASE("no time is lost in trees of random graphs, and each function keeps its own") {
  std::mt19937 random(test_seed(6));
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> names;
    for (int i = 0; i < 12; ++i) names.push_back("f" + std::to_string(i));
    MadeUpProfile made("flames_random", names);
    for (const std::string& name : names)
      made.self(name, static_cast<std::uint16_t>(random() % 50));
    for (int arc = 0; arc < 25; ++arc) {
      made.calls(names[random() % 12], names[random() % 12], 1 + random() % 9);
    }
    const auto snapshot = made.snapshot();
    const FlameTree whole = tree_of(*snapshot, {{}, 0, 1000, 1'000'000});
    check_sums(whole);
    CHECK(whole.total() == Approx(snapshot->profile().program_ticks()).margin(1e-6));
    std::vector<Ticks> self(names.size());
    for (const FlameNode& node : whole.nodes()) {
      CHECK(node.left_out == 0);
      if (node.frame.kind == FlameFrameKind::function) self[node.frame.number] += node.self;
    }
    for (SymbolIndex i = 0; i < names.size(); ++i) {
      CHECK(self[i] == Approx(snapshot->profile().self(i)).margin(1e-6));
    }
    const FlameTree cut = tree_of(*snapshot, {{}, 0.02, 4, 20});
    check_sums(cut);
    CHECK(cut.total() == Approx(whole.total()));
    CHECK(cut.nodes().size() <= 20);
  }
}

TEST_CASE("measured arcs pass over foreign code, and count a sample once") {
  MadeUpProfile made("measured_arcs", {"main", "f", "compare"});
  made.stack(10, {"main", "f", "main", "f"}).stack(20, {"main", "/lib/libc.so.6", "compare"});
  made.stack(3, {"main", "/lib/libc.so.6"}).stack(1, {"f", "f", "f"});
  const auto snapshot = made.snapshot();
  const MeasuredCalls calls = measured_calls(snapshot->symbols(), snapshot->stacks());
  std::string text;
  for (const MeasuredFrame& frame : calls.frames) {
    text += name_of(*snapshot, frame.frame) + " " + number(frame.self) + "/" + number(frame.total) +
            "\n";
  }
  for (const MeasuredCall& call : calls.calls) {
    text += name_of(*snapshot, call.caller) + "->" + name_of(*snapshot, call.callee) + " " +
            number(call.ticks) + "\n";
    // The same as individual queries, which do not treat a function as its own arc.
    const bool recursive = call.caller.number == call.callee.number;
    if (call.callee.kind == FlameFrameKind::function && !recursive) {
      CHECK(call.ticks == snapshot->measured().arc(call.caller.number, call.callee.number));
    }
  }
  CHECK(text ==
        "main 0/33\nf 11/11\ncompare 20/20\n[libc.so.6] 3/23\n"
        "main->f 10\nmain->compare 20\nmain->[libc.so.6] 3\nf->main 10\nf->f 1\n");
}

TEST_CASE("measured arcs have functions of libraries that call each other") {
  MadeUpProfile made("measured_library_arcs", {"main", "compare"});
  made.stack(30, {"main", "/lib/libc.so.6:snprintf", "/lib/libc.so.6:vsnprintf"});
  made.stack(20, {"main", "/lib/libc.so.6:qsort", "compare"});
  made.stack(5, {"main", "/lib/libc.so.6:qsort", "/lib/libc.so.6", "/lib/libc.so.6"});
  const auto snapshot = made.snapshot();
  std::string text;
  for (const MeasuredCall& call : measured_calls(snapshot->symbols(), snapshot->stacks()).calls) {
    text += name_of(*snapshot, call.caller) + "->" + name_of(*snapshot, call.callee) + " " +
            number(call.ticks) + "\n";
    CHECK(call.places.empty() == (call.caller.kind != FlameFrameKind::function));
  }
  CHECK(text ==
        "main->compare 20\nmain->snprintf 30\nmain->qsort 5\n"
        "snprintf->vsnprintf 30\nqsort->[libc.so.6] 5\n");
}
