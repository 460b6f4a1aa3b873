#include "engine/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "engine/comparison/function_matches.h"

namespace gprof {
namespace {

// The rates of the sampled runs: the others have no times.
std::vector<double> rates_of(const ComparedSide& side) {
  std::vector<double> rates;
  for (const ProgramRun& run : side.runs()) {
    if (run.has_samples && run.ticks_per_second > 0) rates.push_back(run.ticks_per_second);
  }
  return rates;
}

// For the same runs. Measured totals, and the program's, include samples in other code.
enum class SampledCode : std::uint8_t { own, all };
std::vector<SampleErrors> errors_of(const ComparedSide& side, SampledCode code) {
  std::vector<SampleErrors> errors;
  for (const ProgramRun& run : side.runs()) {
    if (!run.has_samples || !(run.ticks_per_second > 0)) continue;
    errors.push_back(code == SampledCode::all ? run.errors.of_all_code() : run.errors);
  }
  return errors;
}

template <typename Figure>
std::vector<Ticks> sampled_ticks(const ComparedSide& side, const Figure& figure_of_run) {
  std::vector<Ticks> ticks;
  for (std::size_t i = 0; i < side.runs().size(); ++i) {
    const ProgramRun& run = side.runs()[i];
    if (run.has_samples && run.ticks_per_second > 0) ticks.push_back(figure_of_run(i));
  }
  return ticks;
}

// One side's functions, in the order of `functions`.
FamilySide family_side(const ComparedSide& side, const std::vector<ComparedFunction>& functions,
                       SymbolIndex ComparedFunction::*symbol, Ticks FunctionRun::*figure) {
  const auto code = figure == &FunctionRun::measured_total ? SampledCode::all : SampledCode::own;
  FamilySide family{rates_of(side), {}, errors_of(side, code)};
  family.figures.reserve(functions.size());
  for (const ComparedFunction& function : functions) {
    const auto found = side.functions().find(function.*symbol);
    family.figures.push_back(sampled_ticks(side, [&](std::size_t run) {
      return found == side.functions().end() ? Ticks{0} : found->second[run].*figure;
    }));
  }
  return family;
}

CallRange call_range(const ComparedSide& side, SymbolIndex symbol) {
  CallRange range;
  const auto found = side.functions().find(symbol);
  if (found == side.functions().end()) return range;
  bool first = true;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < side.runs().size(); ++i) {
    if (!side.runs()[i].has_calls) continue;
    const FunctionRun& run = found->second[i];
    const std::uint64_t calls = run.calls + run.recursive_calls;
    range.least = first ? calls : std::min(range.least, calls);
    range.most = std::max(range.most, calls);
    range.mean += static_cast<double>(calls);
    first = false;
    ++runs;
  }
  if (runs > 0) range.mean /= static_cast<double>(runs);
  return range;
}

CallsVerdict verdict_of_calls(const CallRange& before, const CallRange& after) {
  if (before.least != before.most || after.least != after.most) return CallsVerdict::run_dependent;
  if (after.most > before.most) return CallsVerdict::more;
  return after.most < before.most ? CallsVerdict::fewer : CallsVerdict::same;
}

// The coarsest clock of a side.
double slowest_rate(const ComparedSide& side) {
  const auto rates = rates_of(side);
  return rates.empty() ? 0 : *std::min_element(rates.begin(), rates.end());
}

// Groups of the ranking, in order.
int group_of(const ComparedFunction& function, const TimeChange& change) {
  if (!change.significant) return 4;
  switch (verdict_of(function, change)) {
    case Verdict::regressed:
      return 0;
    case Verdict::appeared:
      return 1;
    case Verdict::improved:
      return 2;
    case Verdict::gone:
      return 3;
    case Verdict::noise:
      break;
  }
  return 4;
}

int group_of(const TimeChange& change) {
  if (!change.significant) return 2;
  return change.difference() > 0 ? 0 : 1;
}

// Within a group of the ranking.
bool time_goes_before(const TimeChange& a, const TimeChange& b) {
  if (a.significant) return std::abs(a.difference()) > std::abs(b.difference());
  if (a.enough_samples != b.enough_samples) return a.enough_samples;
  if (a.probability != b.probability) return a.probability < b.probability;
  return std::max(a.before, a.after) > std::max(b.before, b.after);
}

int group_of(CallsVerdict verdict) {
  switch (verdict) {
    case CallsVerdict::more:
      return 0;
    case CallsVerdict::fewer:
      return 1;
    case CallsVerdict::run_dependent:
      return 2;
    case CallsVerdict::same:
    case CallsVerdict::unknown:
      break;
  }
  return 3;
}

void add(CallRange& sum, const CallRange& part) {
  sum.least += part.least;
  sum.most += part.most;
  sum.mean += part.mean;
}

// Of several figures of a side as one.
std::vector<Ticks> sum_of(const FamilySide& side, std::span<const std::size_t> parts) {
  std::vector<Ticks> sum(side.rates.size());
  for (const std::size_t part : parts) {
    for (std::size_t run = 0; run < sum.size(); ++run) sum[run] += side.figures[part][run];
  }
  return sum;
}

}  // namespace

Verdict verdict_of(const ComparedFunction& function, const TimeChange& change) {
  if (function.before == no_symbol) return Verdict::appeared;
  if (function.after == no_symbol) return Verdict::gone;
  if (!change.significant) return Verdict::noise;
  return change.difference() > 0 ? Verdict::regressed : Verdict::improved;
}

Verdict verdict_of(const TimeChange& change) {
  if (!change.significant) return Verdict::noise;
  return change.difference() > 0 ? Verdict::regressed : Verdict::improved;
}

Expected<Comparison> Comparison::make(const ComparedSide& before, const ComparedSide& after) {
  Comparison made;
  made.program_before_ = before.program();
  made.program_after_ = after.program();
  made.runs_before_ = before.runs().size();
  made.runs_after_ = after.runs().size();
  made.has_times_ = !rates_of(before).empty() && !rates_of(after).empty();
  made.has_calls_ = before.has_calls() && after.has_calls();
  if (!made.has_times_ && !made.has_calls_) {
    return Error{ErrorCode::no_profile_data,
                 "cannot be compared: times or calls must be in the profiles of both sides",
                 before.program()->image().path(), std::nullopt};
  }
  if (made.has_times_ && before.dimension() != after.dimension()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("was sampled in {}, the other side in {}: compare profiles of one "
                             "unit",
                             before.dimension(), after.dimension()),
                 before.program()->image().path(), std::nullopt};
  }
  made.totals_measured_ = before.measured() && after.measured();
  made.exact_ = before.exact() && after.exact();
  made.abbreviation_ = after.dimension_abbreviation();
  made.ticks_per_second_ = std::min(slowest_rate(before), slowest_rate(after));
  made.compare_functions(before, after);
  if (made.has_times_) {
    made.compare_times(before, after);
    made.compare_program(before, after);
  }
  return made;
}

void Comparison::compare_functions(const ComparedSide& before, const ComparedSide& after) {
  for (const FunctionMatch& match : match_functions(*program_before_, *program_after_)) {
    if (!before.functions().contains(match.before) && !after.functions().contains(match.after)) {
      continue;
    }
    ComparedFunction function;
    function.before = match.before;
    function.after = match.after;
    if (has_calls_) {
      function.calls.before = call_range(before, match.before);
      function.calls.after = call_range(after, match.after);
      function.calls.verdict = verdict_of_calls(function.calls.before, function.calls.after);
    }
    if (match.after != no_symbol) by_after_.emplace(match.after, functions_.size());
    functions_.push_back(function);
  }
}

void Comparison::compare_times(const ComparedSide& before, const ComparedSide& after) {
  self_ = {family_side(before, functions_, &ComparedFunction::before, &FunctionRun::self),
           family_side(after, functions_, &ComparedFunction::after, &FunctionRun::self)};
  MultipleTest family = compare_family(self_.before, self_.after, family_level);
  conditions_ = std::move(family.conditions);
  set_changes(family.changes, &ComparedFunction::self);
  compare_externals(before, after);
  mark_self_times();
  const auto total =
      totals_measured_ ? &FunctionRun::measured_total : &FunctionRun::estimated_total;
  total_ = {family_side(before, functions_, &ComparedFunction::before, total),
            family_side(after, functions_, &ComparedFunction::after, total)};
  std::vector<std::size_t> itself(functions_.size());
  std::iota(itself.begin(), itself.end(), std::size_t{0});
  set_changes(compare_under(conditions_, itself, total_.before, total_.after, family_level),
              &ComparedFunction::total);
}

void Comparison::compare_externals(const ComparedSide& before, const ComparedSide& after) {
  FamilySide old_side{rates_of(before), {}, errors_of(before, SampledCode::all)};
  FamilySide new_side{rates_of(after), {}, errors_of(after, SampledCode::all)};
  std::set<ExternalCode> codes;
  for (const auto& [code, runs] : before.externals()) codes.insert(code);
  for (const auto& [code, runs] : after.externals()) codes.insert(code);
  const auto ticks_of = [](const ComparedSide& side, const ExternalCode& code) {
    const auto found = side.externals().find(code);
    return sampled_ticks(side, [&](std::size_t run) {
      return found == side.externals().end() ? Ticks{0} : found->second[run];
    });
  };
  for (const ExternalCode& code : codes) {
    externals_.push_back({code, {}});
    old_side.figures.push_back(ticks_of(before, code));
    new_side.figures.push_back(ticks_of(after, code));
  }
  const std::vector<std::size_t> of_none(externals_.size(), no_figure);
  const auto changes = compare_under(conditions_, of_none, old_side, new_side, family_level);
  for (std::size_t i = 0; i < changes.size(); ++i) externals_[i].self = changes[i];
}

// Those of libraries are of the same family of tests.
void Comparison::mark_self_times() {
  std::vector<TimeChange*> tested;
  for (ComparedFunction& function : functions_) tested.push_back(&function.self);
  for (ComparedExternal& external : externals_) tested.push_back(&external.self);
  mark_significant(tested, family_level);
  for (const TimeChange* change : tested) {
    if (change->enough_samples) tested_weight_ += change->test_weight;
  }
}

void Comparison::set_changes(std::span<const TimeChange> changes,
                             TimeChange ComparedFunction::*metric) {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    ComparedFunction& function = functions_[i];
    TimeChange& change = function.*metric;
    change = changes[i];
    // A function that is missing certainly took no time.
    if (function.before == no_symbol) change.before_below = 0;
    if (function.after == no_symbol) change.after_below = 0;
  }
}

// As any total is compared, so that the program and a function that is all of it agree: with the
// speeds and the drift of the other functions if one function is most of the program.
void Comparison::compare_program(const ComparedSide& before, const ComparedSide& after) {
  const auto family_of = [](const ComparedSide& side) {
    FamilySide family{rates_of(side), {}, errors_of(side, SampledCode::all)};
    family.figures.push_back(
        sampled_ticks(side, [&](std::size_t run) { return side.runs()[run].ticks; }));
    return family;
  };
  const FamilySide old_family = family_of(before);
  const FamilySide new_family = family_of(after);
  const std::size_t most = function_of_most(old_family, new_family);
  program_change_ =
      compare_under(conditions_, {&most, 1}, old_family, new_family, family_level).front();
}

std::size_t Comparison::function_of_most(const FamilySide& before, const FamilySide& after) const {
  const auto sum = [](const FamilySide& family, std::size_t figure) {
    return std::accumulate(family.figures[figure].begin(), family.figures[figure].end(), Ticks{0});
  };
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (sum(self_.before, i) > sum(before, 0) / 2 && sum(self_.after, i) > sum(after, 0) / 2) {
      return i;
    }
  }
  return no_figure;
}

bool Comparison::goes_before(ComparisonMetric metric, const ComparedFunction& a,
                             const ComparedFunction& b) const {
  if (metric == ComparisonMetric::calls) {
    const int group_a = group_of(a.calls.verdict);
    const int group_b = group_of(b.calls.verdict);
    if (group_a != group_b) return group_a < group_b;
    return std::abs(a.calls.difference()) > std::abs(b.calls.difference());
  }
  const TimeChange& time_a = a.time(metric);
  const TimeChange& time_b = b.time(metric);
  const int group_a = group_of(a, time_a);
  const int group_b = group_of(b, time_b);
  if (group_a != group_b) return group_a < group_b;
  return time_goes_before(time_a, time_b);
}

std::vector<std::size_t> Comparison::ranked_externals() const {
  std::vector<std::size_t> order(externals_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const TimeChange& time_a = externals_[a].self;
    const TimeChange& time_b = externals_[b].self;
    const int group_a = group_of(time_a);
    const int group_b = group_of(time_b);
    return group_a != group_b ? group_a < group_b : time_goes_before(time_a, time_b);
  });
  return order;
}

std::vector<std::size_t> Comparison::ranked(ComparisonMetric metric) const {
  std::vector<std::size_t> order(functions_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return goes_before(metric, functions_[a], functions_[b]);
  });
  return order;
}

const ComparedExternal* Comparison::find_external(const ExternalCode& code) const {
  const auto found = std::ranges::lower_bound(externals_, code, {}, &ComparedExternal::code);
  return found == externals_.end() || found->code != code ? nullptr : &*found;
}

const ComparedFunction* Comparison::find_after(SymbolIndex symbol) const {
  const auto found = by_after_.find(symbol);
  return found == by_after_.end() ? nullptr : &functions_[found->second];
}

std::string_view Comparison::name(const ComparedFunction& function) const {
  return function.after != no_symbol ? program_after_->symbols()[function.after].name
                                     : program_before_->symbols()[function.before].name;
}

std::optional<std::size_t> Comparison::place_of(SymbolIndex after_symbol) const {
  if (after_symbol == no_symbol) return std::nullopt;
  const auto found = by_after_.find(program_after_->symbols()[after_symbol].clone_of);
  return found == by_after_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Comparison::place_of(std::span<const SymbolIndex> after_symbols) const {
  for (const SymbolIndex symbol : after_symbols) {
    if (const auto place = place_of(symbol)) return place;
  }
  return std::nullopt;
}

std::optional<ComparedFunction> Comparison::together(
    std::span<const SymbolIndex> after_symbols) const {
  std::vector<std::size_t> parts;
  for (const SymbolIndex symbol : after_symbols) {
    if (const auto part = place_of(symbol)) parts.push_back(*part);
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty()) return std::nullopt;
  if (parts.size() == 1) return functions_[parts.front()];
  ComparedFunction sum = functions_[parts.front()];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const ComparedFunction& part = functions_[parts[i]];
    // A new instance of a template is not a new function.
    if (sum.before == no_symbol) sum.before = part.before;
    add(sum.calls.before, part.calls.before);
    add(sum.calls.after, part.calls.after);
  }
  if (has_times_) {
    sum.self = change_of_sum(self_, parts);
    sum.total = change_of_sum(total_, parts);
  }
  if (has_calls_) sum.calls.verdict = verdict_of_calls(sum.calls.before, sum.calls.after);
  return sum;
}

// Of the samples of all parts, and tested as strictly as the first of the functions.
TimeChange Comparison::change_of_sum(const ComparedFigures& figures,
                                     std::span<const std::size_t> parts) const {
  const FamilySide before = {
      figures.before.rates, {sum_of(figures.before, parts)}, figures.before.errors};
  const FamilySide after = {
      figures.after.rates, {sum_of(figures.after, parts)}, figures.after.errors};
  const double level = family_level / std::max(tested_weight_, 1.0);
  return compare_under(conditions_, {&no_figure, 1}, before, after, level).front();
}

}  // namespace gprof
