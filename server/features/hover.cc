#include "server/features/hover.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/source/library_calls.h"
#include "engine/waiting.h"
#include "server/discovery/run_text.h"
#include "server/features/collector_cost.h"
#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/external_time.h"
#include "server/features/function_lines.h"
#include "server/features/line_details.h"
#include "server/features/line_functions.h"
#include "server/features/metric_values.h"
#include "server/features/other_programs.h"
#include "server/features/other_samples.h"
#include "server/features/view_details.h"
#include "server/features/wait_text.h"
#include "server/text/markup_writer.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_neighbour_rows = 10;
constexpr std::size_t most_hot_lines = 3;

// Above this share of all samples, the whole that shares refer to is worth mentioning.
constexpr double notable_collector_part = 0.05;

// The lower bound is never below zero.
std::string least_text(const FunctionCosts& profile, const TimeBounds& bounds) {
  return bounds.low < 1 ? "0" : time_text(profile, bounds.low);
}

// As one of the warnings of its load says in full.
bool may_lack_calls(const Snapshot& snapshot) {
  const Warnings& warnings = snapshot.own_warnings();
  return std::any_of(warnings.begin(), warnings.end(),
                     [](const Error& warning) { return warning.code == ErrorCode::incomplete; });
}

std::string meaning_of_costs(const Snapshot& snapshot) {
  const std::string& cost = snapshot.cost_metric().name;
  if (cost == wall_metric) return "Time by the clock: CPU time and waiting.";
  if (is_of_waiting(cost)) return "Waiting, by the clock.";
  const std::string& dimension = snapshot.profile().dimension();
  if (dimension != "seconds") return fmt::format("Unit: {}.", dimension);
  return snapshot.waits() ? "CPU time: waiting is told beside it."
                          : "CPU time: waiting is not included.";
}

class HoverWriter {
 public:
  HoverWriter(const FileView& view, MarkupKind kind) : view_(view), out_(kind) {}

  // What a hover shows besides the function's own figures.
  struct Surroundings {
    const LineCost* here = nullptr;  // the line under the cursor if it is the function's first
    std::vector<const FunctionCost*> others;  // of the line, if it does not say which is meant
    std::vector<OtherUse> uses;               // of the same function in other programs
  };
  std::string function(const FunctionCost& function, const Surroundings& around);
  std::string line(const LineCost& cost, LineNumber text_line);
  // A line whose text differs from the one in the profile.
  std::string changed_line(LineNumber text_line);

 private:
  void write_calls(const FunctionCost& function);
  void write_times(const FunctionCost& function);
  void write_derived(const std::optional<MetricFigures>& figures);
  void write_lines(const FunctionCost& function);
  [[nodiscard]] std::string basis_text(const FunctionCost& function) const;
  [[nodiscard]] std::string bounds_sentence(const FunctionCost& function) const;
  [[nodiscard]] std::string missing_library_text(const FunctionCost& function) const;
  [[nodiscard]] std::string library_text(const FunctionCost& function) const;
  void write_neighbours(const FunctionCost& function, bool callers);
  struct NamedFunction {
    std::string name;
    std::optional<Declaration> declared;
    std::string through;  // what is said behind the name
    RelatedFunction sum;

    [[nodiscard]] bool is_like(const NamedFunction& other) const {
      return name == other.name && declared == other.declared && through == other.through;
    }
  };
  struct Neighbours {
    std::vector<NamedFunction> rows;
    std::size_t left_out = 0;
  };
  [[nodiscard]] std::string name_of(SymbolIndex symbol) const {
    return symbol == no_symbol ? std::string() : view_.name_of(symbol);
  }
  [[nodiscard]] std::optional<Declaration> declaration_of(SymbolIndex symbol) const {
    return symbol == no_symbol ? std::nullopt : view_.sources().declaration(symbol);
  }
  [[nodiscard]] Neighbours by_definition(const std::vector<RelatedFunction>& related,
                                         const FunctionCost& function, bool callers) const;
  [[nodiscard]] std::string bounds_text(const FunctionCost& function, SymbolIndex other,
                                        bool is_caller) const;
  [[nodiscard]] std::string passed_through(const FunctionCost& function, SymbolIndex other,
                                           bool is_caller) const;
  void write_other_programs(const FunctionCost& function, const std::vector<OtherUse>& uses);
  void write_source_state();
  void write_provenance();

  const FileView& view_;
  MarkupWriter out_;
};

std::string HoverWriter::function(const FunctionCost& function, const Surroundings& around) {
  out_.code_title(view_.signature_of(function), view_.text->language_id());
  write_calls(function);
  if (around.here != nullptr) write_executions(out_, *around.here);
  write_times(function);
  if (view_.program.view && view_.program.view->derived) {
    write_derived(view_.program.view->derived->figures_of(function.symbols));
  }
  write_lines(function);
  write_waits(out_, view_, function.waits.get(), function.own_waits.get());
  write_collector_cost(out_, view_, function);
  write_function_difference(out_, view_, function);
  write_neighbours(function, true);
  write_neighbours(function, false);
  write_other_programs(function, around.uses);
  write_functions_of_line(out_, view_, around.others, "Also on this line");
  if (changed_since_build(view_, function)) {
    out_.paragraph(
        "The function was changed since the build: its figures are those of the old text.");
  }
  write_source_state();
  write_view_details(out_, view_.program);
  write_provenance();
  return out_.take();
}

void HoverWriter::write_derived(const std::optional<MetricFigures>& figures) {
  const std::string sentence = derived_sentence(view_.program, figures);
  if (!sentence.empty()) out_.paragraph(sentence);
}

void HoverWriter::write_calls(const FunctionCost& function) {
  if (has_calls_left_out(view_.program)) return;
  // The footnote says it once.
  const bool uncounted = is_uncounted(view_.program, function) && counts_no_calls(view_.program);
  if (uncounted && function.counting != CallCounting::only_inlined && function.inlined_calls == 0 &&
      function.instances <= 1) {
    return;
  }
  std::string text = calls_text(function);
  if (function.counting == CallCounting::counted) {
    text =
        function.recursive_calls > 0
            ? fmt::format("{} calls from other functions, {} recursive calls",
                          exact_count(function.calls), exact_count(function.recursive_calls))
            : fmt::format("{} call{}", exact_count(function.calls), function.calls == 1 ? "" : "s");
  }
  if (function.instances > 1) {
    text += fmt::format(", {} instances together", function.instances);
  }
  if (function.inlined_calls > 0 && function.counting != CallCounting::only_inlined) {
    text += fmt::format("; also inlined in {} place{}, where calls are not counted",
                        function.inlined_calls, function.inlined_calls == 1 ? "" : "s");
  }
  text += ".";
  std::string clones;
  for (const SymbolIndex symbol : function.symbols) {
    const Symbol& code = view_.snapshot().symbols()[symbol];
    if (code.clone != CloneKind::specialised) continue;
    clones += fmt::format("{}{}", clones.empty() ? "" : ", ", out_.link(name_of(symbol), ""));
  }
  if (!clones.empty()) text += fmt::format(" The compiler's clones of it are counted: {}.", clones);
  if (function.counting == CallCounting::never_called) {
    text += " Calls from code built without -pg (by qsort of the C library, say) are not counted.";
  }
  out_.composed_paragraph(text);
}

void HoverWriter::write_times(const FunctionCost& function) {
  const FunctionCosts& profile = view_.profile();
  if (!has_times(profile) || function.counting == CallCounting::never_called) return;
  const TimeUnit unit = common_unit(
      unit_of(profile),
      std::array{function.self >= 1 ? profile.seconds(profile.error_of(function.self)) : 0,
                 profile.seconds(function.total_error)});
  std::string text;
  if (function.counting != CallCounting::only_inlined) {
    text = fmt::format(
        "Self {}{}", time_with_error(profile, function.self, profile.error_of(function.self), unit),
        kernel_share_text(profile, function.kernel, function.self));
    if (has_totals(view_.program)) {
      text += fmt::format(", total {}",
                          time_with_error(profile, function.total(), function.total_error, unit));
    }
    if (function.children > 0 || function.lacks_libraries) {
      text += fmt::format(", {}", function.measured ? measured_remark(profile) : "an estimate");
    }
    if (function.rank != 0) text += fmt::format("; #{} of the program by self time", function.rank);
    text += ". ";
  }
  if (function.inlined_self > 0) {
    text +=
        fmt::format("Inlined copies: {}{}, part of the self time of the functions around them. ",
                    time_with_error(profile, function.inlined_self),
                    kernel_share_text(profile, function.inlined_kernel, function.inlined_self));
  }
  if (function.measured_inlined_total.value_or(0) > function.inlined_self) {
    text += fmt::format("With what they call: {}, {}. ",
                        time_with_error(profile, *function.measured_inlined_total),
                        measured_remark(profile));
  }
  text += basis_text(function);
  if (function.cycle != 0 && !function.measured) {
    text += fmt::format(
        "It is a member of cycle {}: time of calls between the cycle's members is not in its "
        "total. ",
        function.cycle);
  }
  while (text.ends_with(' ')) text.pop_back();
  if (!text.empty()) out_.composed_paragraph(text);
  // What was only inlined has no code of its own.
  if (function.symbols.empty()) return;
  if (!is_program_start(view_.snapshot(), function.symbols.front())) return;
  const std::string waiting = waiting_text(view_.snapshot());
  if (!waiting.empty()) out_.paragraph(waiting);
}

// As "Hottest lines: 12 0.80 s (76 %), 15 0.20 s (19 %). Its lines add up to 1.05 s."
void HoverWriter::write_lines(const FunctionCost& function) {
  const FunctionLines found = lines_of(view_, function);
  if (found.lines.empty() || function.last_line <= function.declaration.line) return;
  const FunctionCosts& profile = view_.profile();
  std::string text = found.lines.size() == 1 ? "Hottest line: " : "Hottest lines: ";
  for (std::size_t i = 0; i < std::min(found.lines.size(), most_hot_lines); ++i) {
    const LineTotal& line = found.lines[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", line_link(out_, view_, line.line),
                        time_and_share(profile, line.total));
  }
  text += fmt::format(". Its lines add up to {}", time_text(profile, found.sum));
  if (function.measured_inlined_total.value_or(0) > 0 && function.total() > 0) {
    text += ", inlined copies included";
  }
  if (function.recursive_calls > 0 || function.cycle != 0) {
    text += "; a recursive call counts in every line that waits for it";
  }
  out_.composed_paragraph(text + ".");
}

// How the total is known, and its bounds if it is an estimate.
std::string HoverWriter::basis_text(const FunctionCost& function) const {
  if (function.measured) return function.children > 0 ? library_text(function) : "";
  return bounds_sentence(function) + missing_library_text(function);
}

// Why a total is an estimate even if the function calls no other of the program.
std::string HoverWriter::missing_library_text(const FunctionCost& function) const {
  if (!function.lacks_libraries) return {};
  return fmt::format(
      "What it spent in libraries is not in the total: {} of the program's time is in libraries, "
      "and only stacks, which this recording lacks, show who called them. ",
      time_and_share(view_.profile(), library_time(view_.profile())));
}

std::string HoverWriter::bounds_sentence(const FunctionCost& function) const {
  if (!(function.children > 0)) return {};
  const FunctionCosts& profile = view_.profile();
  const TimeBounds bounds = view_.snapshot().bounds().total(function.symbols);
  return fmt::format(
      "gprof shares out what callees took by numbers of calls; whatever the calls cost, the total "
      "lies between {} and {}. ",
      least_text(profile, bounds), time_text(profile, bounds.high));
}

// "Of the total, 0.41 s (82 %) is in sin, cos of libm. "
std::string HoverWriter::library_text(const FunctionCost& function) const {
  const FunctionCosts& profile = view_.profile();
  const MeasuredTimes& measured = view_.snapshot().measured();
  const Ticks external = measured.external_below(function.symbols);
  if (external < 1) return {};
  const auto of_total = [&](Ticks ticks) {
    return fmt::format("{} ({})", time_text(profile, ticks), percent(ticks / function.total()));
  };
  const std::string text =
      external_time_text(out_, view_, measured.external_calls(function.symbols), of_total);
  // Counted calls may lead to code without a name.
  return text.empty() ? fmt::format("Of the total, {} is in calls to libraries. ",
                                    time_text(profile, external))
                      : fmt::format("Of the total, {}. ", text);
}

void HoverWriter::write_neighbours(const FunctionCost& function, bool callers) {
  const FunctionCosts& profile = view_.profile();
  const auto related = callers ? view_.snapshot().source_index().callers(function)
                               : view_.snapshot().source_index().callees(function);
  if (related.empty()) return;
  const bool times = has_times(profile);
  const bool calls = !has_calls_left_out(view_.program) && !counts_no_calls(view_.program);
  if (!calls && !times) return;
  std::vector<std::string> header = {callers ? "Caller" : "Callee"};
  if (calls) {
    const bool is_part = callers && function.calls > 0;
    header.push_back(is_part ? fmt::format("Calls (of {})", exact_count(function.calls)) : "Calls");
  }
  const bool measured = view_.snapshot().measured().known();
  if (times) {
    header.push_back(fmt::format("Time, {}", measured ? measured_remark(profile) : "estimated"));
  }
  if (times && !measured) header.emplace_back("At least – at most");
  std::vector<std::vector<std::string>> rows;
  const Neighbours named = by_definition(related, function, callers);
  std::vector<SymbolIndex> symbols;
  for (const NamedFunction& other : named.rows) symbols.push_back(other.sum.symbol);
  const std::vector<std::string> names = listed_names(view_, symbols);
  for (std::size_t i = 0; i < named.rows.size(); ++i) {
    const NamedFunction& other = named.rows[i];
    std::vector<std::string> row = {function_link(out_, view_, other.sum.symbol, names[i]) +
                                    other.through};
    if (calls) row.push_back(exact_count(other.sum.count));
    if (times) {
      row.push_back(other.sum.same_cycle
                        ? "in the cycle"
                        : time_with_error(profile, other.sum.share(), other.sum.error));
    }
    if (times && !measured) row.push_back(bounds_text(function, other.sum.symbol, callers));
    rows.push_back(std::move(row));
  }
  out_.table(header, rows);
  if (named.left_out > 0) out_.paragraph(fmt::format("… and {} more.", named.left_out));
}

// Copies and instances of one definition share a name and a place: they are one row. A function may
// have thousands of callers, and each place is looked up in the caller's unit: once the rows are
// full, only copies of what is in them are looked up.
HoverWriter::Neighbours HoverWriter::by_definition(const std::vector<RelatedFunction>& related,
                                                   const FunctionCost& function,
                                                   bool callers) const {
  Neighbours found;
  std::set<std::string_view> shown;
  std::set<std::string_view> left_out;
  for (const RelatedFunction& other : related) {
    const std::string_view symbol =
        other.symbol == no_symbol ? "" : view_.snapshot().symbols()[other.symbol].name;
    const bool is_full = found.rows.size() == most_neighbour_rows;
    if (is_full && !shown.contains(symbol)) {
      left_out.insert(symbol);
      continue;
    }
    NamedFunction named = {name_of(other.symbol), declaration_of(other.symbol),
                           passed_through(function, other.symbol, callers), other};
    auto known = std::find_if(found.rows.begin(), found.rows.end(),
                              [&](const NamedFunction& n) { return n.is_like(named); });
    if (known != found.rows.end()) {
      known->sum.count += other.count;
      known->sum.self_share += other.self_share;
      known->sum.children_share += other.children_share;
      // What was measured together has the error of its sum.
      known->sum.error = view_.snapshot().measured().known()
                             ? view_.profile().error_in_all_code(known->sum.share())
                             : known->sum.error + other.error;
    } else if (is_full) {
      left_out.insert(symbol);
    } else {
      found.rows.push_back(std::move(named));
      shown.insert(symbol);
    }
  }
  found.left_out = left_out.size();
  return found;
}

std::string HoverWriter::bounds_text(const FunctionCost& function, SymbolIndex other,
                                     bool is_caller) const {
  if (other == no_symbol) return "–";
  const std::span<const SymbolIndex> own = function.symbols;
  const std::span<const SymbolIndex> others(&other, 1);
  const TimeBounds bounds = is_caller ? view_.snapshot().bounds().arc(others, own)
                                      : view_.snapshot().bounds().arc(own, others);
  const FunctionCosts& profile = view_.profile();
  return fmt::format("{} – {}", least_text(profile, bounds), time_text(profile, bounds.high));
}

// " through qsort" if calls between the two came through uninstrumented code.
std::string HoverWriter::passed_through(const FunctionCost& function, SymbolIndex other,
                                        bool is_caller) const {
  for (const SymbolIndex symbol : function.symbols) {
    const RunInfo& run = view_.snapshot().run_info();
    const RunInfo::Through through =
        is_caller ? run.passed_through(other, symbol) : run.passed_through(symbol, other);
    if (through.function.empty()) continue;
    return fmt::format(" {}through {}", through.partly ? "partly " : "",
                       out_.link(through.function, ""));
  }
  return {};
}

// The function as it is in the other programs that were compiled from this file.
void HoverWriter::write_other_programs(const FunctionCost& function,
                                       const std::vector<OtherUse>& uses) {
  if (uses.empty()) return;
  std::vector<std::vector<std::string>> rows;
  auto add = [&](const FileView& view, const FunctionCost& use) {
    if (rows.size() > most_neighbour_rows) return;
    const FunctionCosts& profile = view.profile();
    const bool times = has_times(profile) && use.counting != CallCounting::only_inlined;
    const bool counted = use.counting == CallCounting::counted;
    rows.push_back({out_.link(program_title(view.program), ""),
                    counted ? exact_count(use.calls + use.recursive_calls)
                    : use.counting == CallCounting::never_called ? "0"
                                                                 : "–",
                    times ? time_text(profile, use.self) : "–",
                    times && has_totals(view.program) ? time_text(profile, use.total()) : "–"});
  };
  add(view_, function);
  for (const OtherUse& use : uses) add(*use.view, *use.function);
  out_.table({"Program", "Calls", "Self", "Total"}, rows);
}

std::string HoverWriter::line(const LineCost& cost, LineNumber text_line) {
  out_.title(fmt::format("Line {}", text_line));
  write_line_details(out_, view_, cost);
  write_derived(DerivedLineTexts(view_).figures_of(cost.line));
  write_source_state();
  write_view_details(out_, view_.program);
  write_provenance();
  return out_.take();
}

std::string HoverWriter::changed_line(LineNumber text_line) {
  out_.title(fmt::format("Line {}", text_line));
  out_.paragraph(
      "Changed since the build: what the profile says is about the old text, and is not shown.");
  write_provenance();
  return out_.take();
}

void HoverWriter::write_source_state() {
  if (view_.source_state == SourceState::stale) {
    return out_.paragraph("The source has changed since the build: lines may have moved.");
  }
  const std::uint32_t changed = view_.lines_changed_since_build();
  if (changed == 0) return;
  out_.paragraph(fmt::format(
      "{} line{} of this file {} changed since the build; figures follow the lines that did not.",
      exact_count(changed), changed == 1 ? "" : "s", changed == 1 ? "has" : "have"));
}

void HoverWriter::write_provenance() {
  std::string text = fmt::format("{}. {}", out_.link(program_title(view_.program), ""),
                                 meaning_of_costs(view_.snapshot()));
  if (!view_.profile().has_exact_costs()) {
    text += " ± is one standard deviation; where it is left out, n samples have an error of √n.";
  }
  const FunctionCosts& profile = view_.profile();
  if (profile.collector_ticks() >= notable_collector_part * profile.sampled_ticks() &&
      profile.collector_ticks() >= 1) {
    text += fmt::format(" Shares are of {}.", program_time_text(profile));
  }
  if (const std::string tick = tick_text(profile); !tick.empty()) text += " " + tick;
  if (const std::string stacks = stacks_text(view_.snapshot().stacks()); !stacks.empty()) {
    text += " " + stacks;
  }
  if (has_times(profile) && counts_no_calls(view_.program)) {
    text += " Calls are not counted: that needs -pg.";
  }
  if (may_lack_calls(view_.snapshot())) {
    text += " Calls of threads may be missing: gprof-lsp record counts them all.";
  }
  if (view_.program.live) {
    text += " Running, live: these are the counts of a moment ago.";
  }
  if (view_.program.rebuilt_since) {
    text += " The program was rebuilt since this profile was written: run it again for a new one.";
  }
  out_.footnote(text);
}

bool says_something(const FileView& view, const LineCost& cost) {
  return cost.executions || !cost.calls.empty() || cost.inlining ||
         ((cost.self > 0 || cost.measured_total) && has_times(view.profile())) || cost.waits;
}

Range range_from_margin(const FileView& view, LineNumber text_line) {
  return {{text_line - 1, 0}, view.text->end_of_line(text_line)};
}

// The word under the cursor; an empty range at the cursor if there is none.
Range word_range(const FileView& view, LineNumber text_line, std::string_view word) {
  const std::size_t line_start = view.text->lines().start(text_line - 1);
  const std::string_view line = view.text->line(text_line);
  const std::size_t start = line_start + static_cast<std::size_t>(word.data() - line.data());
  return {view.text->position_of(start), view.text->position_of(start + word.size())};
}

}  // namespace

std::optional<Hover> hover(const FileView& view, std::span<const FileView> others,
                           Position position, MarkupKind kind, const OpenView& open_view) {
  const LineNumber text_line = position.line + 1;
  if (text_line > view.text->line_count()) return std::nullopt;
  const auto build_line = view.build_line(text_line);
  const std::size_t column =
      view.text->offset_of(position) - view.text->lines().start(position.line);
  const std::string_view word = word_at(view.text->line(text_line), column);
  const auto found = function_at(view, position, open_view);
  const bool here = found && found->view.costs->file == view.costs->file;
  const bool on_name = found && last_component(found->function->name) == word;
  const bool on_declaration = here && build_line && view.is_current(text_line) &&
                              found->function->declaration.line == *build_line;
  Hover result;
  result.contents.kind = kind;
  if (on_name || on_declaration) {
    HoverWriter::Surroundings around;
    if (on_declaration) around.here = view.costs->line(*build_line);
    if (on_declaration) around.others = others_of_line(view, position, *found);
    if (here) around.uses = OtherPrograms(others).uses_of(view, *found->function);
    result.contents.value = HoverWriter(found->view, kind).function(*found->function, around);
    result.range = on_name ? word_range(view, text_line, word) : range_from_margin(view, text_line);
    return result;
  }
  const LineCost* cost = build_line ? view.costs->line(*build_line) : nullptr;
  if (cost == nullptr || !says_something(view, *cost)) return std::nullopt;
  result.range = range_from_margin(view, text_line);
  if (view.is_current(text_line)) {
    result.contents.value = HoverWriter(view, kind).line(*cost, text_line);
  } else if (view.source_state != SourceState::stale) {
    result.contents.value = HoverWriter(view, kind).changed_line(text_line);
  } else {
    return std::nullopt;
  }
  return result;
}

}  // namespace gprof::lsp
