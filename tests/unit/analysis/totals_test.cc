// What needs no call graph is answered without one, and is no other than with it.
#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::test;

namespace {

const std::vector<std::string> compiler = {"gcc", "-g", "-O0", "-pg"};

void check_figures_by_themselves(const FunctionCost& at_hand, const FunctionCost& whole) {
  CAPTURE(whole.name);
  CHECK(at_hand.without_total);
  CHECK(!whole.without_total);
  CHECK(at_hand.name == whole.name);
  CHECK(at_hand.symbols == whole.symbols);
  CHECK(at_hand.counting == whole.counting);
  CHECK(at_hand.calls == whole.calls);
  CHECK(at_hand.recursive_calls == whole.recursive_calls);
  CHECK(at_hand.self == whole.self);
  CHECK(at_hand.last_line == whole.last_line);
}

void check_figures_by_themselves(const LineCost& at_hand, const LineCost& whole) {
  CAPTURE(whole.line);
  CHECK(at_hand.line == whole.line);
  CHECK(at_hand.self == whole.self);
  CHECK(at_hand.executions == whole.executions);
  CHECK(!at_hand.measured_total);
  REQUIRE(at_hand.calls.size() == whole.calls.size());
  for (std::size_t i = 0; i < whole.calls.size(); ++i) {
    CHECK(at_hand.calls[i].callee == whole.calls[i].callee);
    CHECK(at_hand.calls[i].count == whole.calls[i].count);
  }
}

}  // namespace

TEST_CASE("figures of a file without totals are those with them") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("totals", 3, compiler);
  const auto snapshot = analyse_or_fail(source.request());
  CHECK(!snapshot->has_totals());
  const auto file = snapshot->sources().files_named("program.c");
  REQUIRE(file.size() == 1);

  const auto at_hand = snapshot->source_index().costs_at_hand(file.front());
  CHECK(!snapshot->has_totals());
  CHECK(at_hand->without_totals);
  CHECK(snapshot->source_index().costs_at_hand(file.front()) == at_hand);

  const auto whole = snapshot->source_index().costs(file.front());
  CHECK(snapshot->has_totals());
  CHECK(!whole->without_totals);
  CHECK(snapshot->source_index().costs_at_hand(file.front()) == whole);

  REQUIRE(!whole->functions.empty());
  REQUIRE(at_hand->functions.size() == whole->functions.size());
  for (std::size_t i = 0; i < whole->functions.size(); ++i) {
    check_figures_by_themselves(at_hand->functions[i], whole->functions[i]);
  }
  REQUIRE(at_hand->lines.size() == whole->lines.size());
  for (std::size_t i = 0; i < whole->lines.size(); ++i) {
    check_figures_by_themselves(at_hand->lines[i], whole->lines[i]);
  }
}

TEST_CASE("totals are made once, whoever asks first") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("totals_once", 3, compiler);
  AnalysisRequest request = source.request();
  const auto first = analyse_or_fail(request);
  const CallGraph* graph = &first->graph();
  first->make_totals();
  CHECK(&first->graph() == graph);

  // What was made of the same calls is taken at once.
  request.program = first->program();
  request.like = first;
  const auto again = analyse_or_fail(request);
  again->make_totals();
  CHECK(again->has_totals());
  CHECK(again->graph().propagated_ticks() == first->graph().propagated_ticks());
}
