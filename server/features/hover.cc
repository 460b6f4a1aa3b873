#include "server/features/hover.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/markup_writer.h"
#include "server/features/number_text.h"
#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_neighbours = 10;

// What a call costs with glibc's collector, in seconds: measured on x86-64 with a function that
// does nothing else. A profile of a statically linked program holds the collector's own samples:
// there the price is measured in the profile itself. `gprof-lsp record` measures it on the spot.
constexpr Seconds glibc_price_per_call = 7e-9;

// From this part of a function's own time on, the collector's cost is worth a word.
constexpr double notable_collector_share = 0.2;

std::string error_text(const Profile& profile, Ticks ticks) {
  return fmt::format("± {}", time_text(profile, std::sqrt(ticks)));
}

std::string time_with_error(const Profile& profile, Ticks ticks) {
  if (ticks <= 0) return fmt::format("{} (no sample)", time_text(profile, 0));
  return fmt::format("{} {} ({})", time_text(profile, ticks), error_text(profile, ticks),
                     percent(share_of(profile, ticks)));
}

class HoverWriter {
 public:
  HoverWriter(const FileView& view, MarkupKind kind) : view_(view), out_(kind) {}

  // `here` is the line under the cursor where that is the function's own first line, else null.
  std::string function(const FunctionCost& function, const LineCost* here);
  std::string line(const LineCost& cost);

 private:
  void write_calls(const FunctionCost& function);
  void write_executions(const LineCost& cost);
  void write_times(const FunctionCost& function);
  void write_collector_cost(const FunctionCost& function);
  void write_neighbours(const FunctionCost& function, bool callers);
  struct NamedFunction {
    std::string text;
    RelatedFunction sum;
  };
  [[nodiscard]] std::vector<NamedFunction> by_definition(
      const std::vector<RelatedFunction>& related, const FunctionCost& function,
      bool callers) const;
  [[nodiscard]] std::string passed_through(const FunctionCost& function, SymbolIndex other,
                                           bool is_caller) const;
  void write_line_calls(const LineCost& cost);
  void write_provenance();
  [[nodiscard]] std::string neighbour_name(SymbolIndex symbol) const;
  [[nodiscard]] std::string link_to(SymbolIndex symbol) const;

  const FileView& view_;
  MarkupWriter out_;
};

std::string HoverWriter::function(const FunctionCost& function, const LineCost* here) {
  out_.heading(view_.signature_of(function));
  write_calls(function);
  if (here != nullptr) write_executions(*here);
  write_times(function);
  write_collector_cost(function);
  write_neighbours(function, true);
  write_neighbours(function, false);
  write_provenance();
  return out_.take();
}

void HoverWriter::write_calls(const FunctionCost& function) {
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
    clones += fmt::format("{}{}", clones.empty() ? "" : ", ", code.name);
  }
  if (!clones.empty()) text += fmt::format(" The compiler's clones of it are counted: {}.", clones);
  if (function.counting == CallCounting::never_called) {
    text += " Calls from code built without -pg (by qsort of the C library, say) are not counted.";
  }
  out_.paragraph(text);
}

void HoverWriter::write_times(const FunctionCost& function) {
  const Profile& profile = view_.profile();
  if (!has_times(profile) || function.counting == CallCounting::never_called) return;
  std::string text;
  if (function.counting != CallCounting::only_inlined) {
    text = fmt::format("Self {}, total {}", time_with_error(profile, function.self),
                       time_with_error(profile, function.total()));
    if (function.rank != 0) text += fmt::format("; #{} of the program by self time", function.rank);
    text += ". ";
  }
  if (function.inlined_self > 0) {
    text += fmt::format("Inlined copies: {}, part of the self time of the functions around them. ",
                        time_with_error(profile, function.inlined_self));
  }
  if (function.children > 0) {
    text += "What callees took is an estimate: gprof shares it out by numbers of calls. ";
  }
  if (function.cycle != 0) {
    text += fmt::format(
        "It is a member of cycle {}: time of calls between the cycle's members is not in its "
        "total. ",
        function.cycle);
  }
  while (text.ends_with(' ')) text.pop_back();
  if (!text.empty()) out_.paragraph(text);
}

void HoverWriter::write_collector_cost(const FunctionCost& function) {
  const Profile& profile = view_.profile();
  if (!has_times(profile) || profile.dimension() != "seconds") return;
  const auto calls = static_cast<double>(function.calls + function.recursive_calls);
  const auto counted_calls = static_cast<double>(profile.counted_calls());
  const auto recorded = view_.snapshot().collection().price_per_call();
  const bool in_profile = profile.profiler_ticks() > 0 && counted_calls > 0;
  const Seconds price = in_profile ? profile.seconds(profile.profiler_ticks()) / counted_calls
                                   : recorded.value_or(glibc_price_per_call);
  const Seconds cost = calls * price;
  if (cost < 1 / profile.ticks_per_second()) return;
  if (cost < notable_collector_share * profile.seconds(function.self)) return;
  out_.paragraph(fmt::format(
      "Counting its calls cost about {} ({} calls at {:.1f} ns, {}): compare the self time of a "
      "function this small with care.",
      amount(cost, profile.ticks_per_second(), profile.dimension_abbreviation()),
      exact_count(function.calls + function.recursive_calls), price * 1e9,
      in_profile ? "measured in this profile"
      : recorded ? "measured when it was recorded"
                 : "an estimate for glibc's collector"));
}

void HoverWriter::write_neighbours(const FunctionCost& function, bool callers) {
  const Profile& profile = view_.profile();
  const auto related =
      callers ? view_.sources().callers(function) : view_.sources().callees(function);
  if (related.empty()) return;
  const bool times = has_times(profile);
  std::vector<std::string> header = {callers ? "Caller" : "Callee", "Calls"};
  if (callers) header[1] = fmt::format("Calls (of {})", exact_count(function.calls));
  if (times) header.insert(header.end(), {"Self", "Children"});
  std::vector<std::vector<std::string>> rows;
  const std::vector<NamedFunction> named = by_definition(related, function, callers);
  for (const NamedFunction& other : named) {
    if (rows.size() == most_neighbours) break;
    std::vector<std::string> row = {other.text, exact_count(other.sum.count)};
    if (times && other.sum.same_cycle) row.insert(row.end(), {"in the cycle", "–"});
    if (times && !other.sum.same_cycle) {
      row.push_back(time_text(profile, other.sum.self_share));
      row.push_back(time_text(profile, other.sum.children_share));
    }
    rows.push_back(std::move(row));
  }
  out_.table(header, rows);
  if (named.size() > rows.size()) {
    out_.paragraph(fmt::format("… and {} more.", named.size() - rows.size()));
  }
}

// Copies and instances of one definition have one name and one place: they are one row.
std::vector<HoverWriter::NamedFunction> HoverWriter::by_definition(
    const std::vector<RelatedFunction>& related, const FunctionCost& function, bool callers) const {
  std::vector<NamedFunction> named;
  for (const RelatedFunction& other : related) {
    std::string text = out_.link(neighbour_name(other.symbol), link_to(other.symbol)) +
                       passed_through(function, other.symbol, callers);
    auto known = std::find_if(named.begin(), named.end(),
                              [&](const NamedFunction& n) { return n.text == text; });
    if (known == named.end()) {
      named.push_back({std::move(text), other});
      continue;
    }
    known->sum.count += other.count;
    known->sum.self_share += other.self_share;
    known->sum.children_share += other.children_share;
  }
  return named;
}

// " through qsort" where calls of the two came by code that is not profiled.
std::string HoverWriter::passed_through(const FunctionCost& function, SymbolIndex other,
                                        bool is_caller) const {
  for (const SymbolIndex symbol : function.symbols) {
    const std::string_view name = is_caller
                                      ? view_.snapshot().collection().passed_through(other, symbol)
                                      : view_.snapshot().collection().passed_through(symbol, other);
    if (!name.empty()) return fmt::format(" through {}", out_.link(name, ""));
  }
  return {};
}

std::string HoverWriter::line(const LineCost& cost) {
  const Profile& profile = view_.profile();
  out_.heading(fmt::format("Line {}", view_.text_line(cost.line).value_or(cost.line)));
  write_executions(cost);
  if (cost.self > 0 && has_times(profile)) {
    out_.paragraph(fmt::format("Self {}.", time_with_error(profile, cost.self)));
  }
  write_line_calls(cost);
  write_provenance();
  return out_.take();
}

void HoverWriter::write_executions(const LineCost& cost) {
  if (!cost.executions) return;
  out_.paragraph(fmt::format("Executed {} time{}.", exact_count(*cost.executions),
                             *cost.executions == 1 ? "" : "s"));
}

void HoverWriter::write_line_calls(const LineCost& cost) {
  if (cost.calls.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const LineCall& call : cost.calls) {
    std::string count = exact_count(call.count);
    if (call.approximate()) {
      count.insert(0, "≈");
      std::string lines;
      for (const LineNumber line : call.candidate_lines) {
        lines +=
            fmt::format("{}{}", lines.empty() ? "" : ", ", view_.text_line(line).value_or(line));
      }
      count += call.candidate_lines.size() > 1 ? fmt::format(" from the lines {} together", lines)
                                               : std::string(" from here and elsewhere together");
    }
    rows.push_back({out_.link(neighbour_name(call.callee), link_to(call.callee)), count});
  }
  out_.table({"Called from here", "Calls"}, rows);
}

void HoverWriter::write_provenance() {
  std::string text = fmt::format(
      "{}. {}", std::filesystem::path(view_.snapshot().image().path()).filename().string(),
      view_.profile().dimension() == "seconds"
          ? "CPU time: waiting is not included. ± is one standard deviation (√n of n samples)."
          : fmt::format("Unit: {}. ± is one standard deviation (√n of n samples).",
                        view_.profile().dimension()));
  if (view_.changed_since_build) {
    text += " The source has changed since the build: lines may have moved.";
  }
  out_.footnote(text);
}

std::string HoverWriter::neighbour_name(SymbolIndex symbol) const {
  return symbol == no_symbol ? "<spontaneous>" : view_.name_of(symbol);
}

std::string HoverWriter::link_to(SymbolIndex symbol) const {
  if (symbol == no_symbol) return {};
  const auto declaration = view_.sources().declaration(symbol);
  if (!declaration) return {};
  const auto path = view_.program.paths->workspace_path(declaration->file);
  if (!path) return {};
  LineNumber line = declaration->line;
  if (declaration->file == view_.costs->file) line = view_.text_line(line).value_or(line);
  return fmt::format("{}#L{}", uri_from_path(*path), line);
}

bool says_something(const FileView& view, const LineCost& cost) {
  return cost.executions || !cost.calls.empty() || (cost.self > 0 && has_times(view.profile()));
}

}  // namespace

std::optional<Hover> hover(const FileView& view, Position position, MarkupKind kind,
                           const OpenView& open_view) {
  const LineNumber text_line = position.line + 1;
  const auto build_line = view.build_line(text_line);
  if (!build_line || text_line > view.text->line_count()) return std::nullopt;
  const std::size_t column =
      view.text->offset_of(position) - view.text->lines().start(position.line);
  const std::string_view word = word_at(view.text->line(text_line), column);
  const auto found = function_at(view, position, open_view);
  const bool on_name = found && last_component(found->function->name) == word;
  const bool on_declaration = found && found->view.costs->file == view.costs->file &&
                              found->function->declaration.line == *build_line;
  Hover result;
  result.contents.kind = kind;
  if (on_name || on_declaration) {
    const LineCost* here = on_declaration ? view.costs->line(*build_line) : nullptr;
    result.contents.value = HoverWriter(found->view, kind).function(*found->function, here);
    return result;
  }
  const LineCost* cost = view.costs->line(*build_line);
  const FunctionCost* around = view.costs->function_at(*build_line);
  if (cost == nullptr || !says_something(view, *cost) || view.text->line_changed(text_line) ||
      (around != nullptr && !view.is_trusted(*around))) {
    return std::nullopt;
  }
  result.contents.value = HoverWriter(view, kind).line(*cost);
  return result;
}

}  // namespace gprof::lsp
