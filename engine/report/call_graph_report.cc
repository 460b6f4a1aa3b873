#include "engine/report/call_graph_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/arc_order.h"
#include "engine/report/explanations.h"
#include "engine/report/layout.h"
#include "engine/report/printed_parts.h"

namespace gprof {
namespace {

class CallGraphText {
 public:
  CallGraphText(TextOutput& text, const GraphReport& report)
      : text_(text),
        request_(report.request),
        data_(report.data),
        graph_(report.data.graph),
        index_(report.index),
        names_(report.names),
        arc_order_(report.data.graph),
        propagated_(graph_.propagated_ticks() != 0 ? graph_.propagated_ticks() : 1) {}

  // Each one walks the whole graph.
  static constexpr std::size_t most_bounds = 1000;
  // For a number of calls.
  static constexpr std::size_t count_width = 7;

  void append_heading();
  void append_entries(std::span<const GraphEntry> entries);
  void append_explanation();

 private:
  [[nodiscard]] Seconds seconds(Ticks ticks) const { return seconds_of(ticks, data_.samples.rate); }
  // Of the error column, in lines that show none.
  [[nodiscard]] std::size_t margin_width() const { return request_.show_errors ? error_width : 0; }
  // Of the column "children".
  [[nodiscard]] std::size_t children_width() const { return request_.traditional ? 11 : 7; }
  // Of the space between the columns "self" and "called".
  [[nodiscard]] std::size_t middle_width() const { return children_width() + margin_width(); }
  [[nodiscard]] bool is_printed(const GraphEntry& entry) const;
  // For the first of the entries and those after it.
  void prefetch(std::span<const GraphEntry> entries) const;
  void append_basis();
  void append_total(SymbolIndex symbol);
  void append_symbol(SymbolIndex symbol);
  void append_cycle(CycleNumber cycle);
  void append_primary(std::uint32_t number, const Propagation& propagated, std::uint64_t calls,
                      std::uint64_t self_calls, bool calls_known);
  void append_callers(SymbolIndex symbol);
  void append_callees(SymbolIndex symbol);
  // `shown` is the end of the arc that differs from the entry's own symbol.
  void append_arc(const GraphArc& arc, SymbolIndex shown);
  void append_error_of(Ticks self);
  void append_entry_number(std::uint32_t number);
  void append_calls(std::uint64_t calls, std::uint64_t self_calls);
  // "self" and "children".
  void append_times(const Propagation& propagated);
  void append_members(const Cycle& cycle);

  TextOutput& text_;
  const ReportRequest& request_;
  const ReportData& data_;
  const CallGraph& graph_;
  const GraphIndex& index_;
  const ReportNames& names_;
  ArcOrder arc_order_;
  const Ticks propagated_;
  std::size_t bounds_shown_ = 0;
};

void CallGraphText::append_heading() {
  if (!request_.traditional) {
    text_.append(RangeKind::heading,
                 request_.brief ? "\t\t\tCall graph" : "\t\t     Call graph (explanation follows)");
    text_ += "\n\n";
  } else if (!request_.brief) {
    text_ += "\n\n\n";
    text_.append(RangeKind::heading, "call graph profile:");
    text_ += '\n';
    text_.append(RangeKind::explanation, traditional_call_graph_explanation);
  }
  append(text_, "\ngranularity: each sample hit covers {} byte(s)",
         bytes_a_sample(data_.samples.scale));
  const Ticks propagated = graph_.propagated_ticks();
  if (propagated > 0) {
    append(text_, " for {:.2f}% of {:.2f} {}\n\n", 100.0 / propagated, seconds(propagated),
           request_.view ? std::string_view(data_.samples.dimension) : "seconds");
  } else {
    text_ += " no time propagated\n\n";
  }
  append_basis();
  const std::string head = request_.show_errors ? right_aligned("+-error", error_width) : "";
  if (request_.traditional) {
    const std::string margin(margin_width(), ' ');
    append_column_line(text_, "                        {}          called/total       parents ",
                       margin);
    append_column_line(text_, "index  %time    self{} descendants  called+self    name    \tindex",
                       head);
    append_column_line(text_, "                        {}          called/total       children",
                       margin);
    text_ += '\n';
  } else {
    append_column_line(text_, "index % time    self{}  children    called     name", head);
  }
}

// How callee times were obtained, which gprof leaves to its manual.
void CallGraphText::append_basis() {
  append_part(text_, request_);
  if (!request_.accurate || graph_.propagated_ticks() <= 0) return;
  if (!graph_.is_measured()) {
    text_ += "times with callees are estimated, by numbers of calls\n\n";
  } else if (data_.errors.exact()) {
    append(text_, "costs with callees were {}\n\n",
           data_.errors.by_clock() ? "taken from a clock" : "counted");
  } else {
    text_ += "times with callees are measured, from the stacks of all samples\n\n";
  }
}

// The error of a function's total time, and its bounds whatever each call cost.
void CallGraphText::append_total(SymbolIndex symbol) {
  const GraphNode& node = graph_.node(symbol);
  if (data_.total_errors.empty() || node.children <= 0) return;
  append(text_, "{:14}total {:.2f} +-{:.2f}", "", seconds(node.total()),
         seconds(data_.total_errors[symbol]));
  if (data_.bounds && bounds_shown_ < most_bounds) {
    ++bounds_shown_;
    const TimeBounds bounds = data_.bounds->total(std::span(&symbol, 1));
    append(text_, ", at least {:.2f} and at most {:.2f} (3 standard deviations)",
           seconds(bounds.low), seconds(bounds.high));
  }
  text_ += '\n';
}

bool CallGraphText::is_printed(const GraphEntry& entry) const {
  if (entry.is_cycle()) {
    const Cycle& cycle = graph_.cycle(entry.cycle);
    const bool unused =
        cycle.calls == 0 && cycle.internal_calls == 0 && cycle.propagated.total() == 0;
    return cycle.propagated.printed && !request_.by_line && (request_.show_unused || !unused);
  }
  const GraphNode& node = graph_.node(entry.symbol);
  const bool unused = node.calls == 0 && node.self_calls == 0 && node.propagated.self == 0 &&
                      node.propagated.children == 0;
  return node.propagated.printed && (request_.show_unused || !unused) &&
         (!request_.by_line || data_.symbols[entry.symbol].is_function);
}

void CallGraphText::append_entries(std::span<const GraphEntry> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (text_.stopped()) return;
    prefetch(entries.subspan(i));
    const GraphEntry& entry = entries[i];
    if (!is_printed(entry)) continue;
    {
      const TextOutput::Mark mark(text_, RangeKind::entry);
      entry.is_cycle() ? append_cycle(entry.cycle) : append_symbol(entry.symbol);
    }
    if (request_.traditional) text_ += '\n';
    text_ += "-----------------------------------------------\n";
    if (request_.traditional) text_ += '\n';
  }
}

// Entries are sorted by time, so their data is scattered in memory: it is prefetched while earlier
// entries are written, following the pointers step by step.
void CallGraphText::prefetch(std::span<const GraphEntry> entries) const {
  constexpr std::size_t far = 12;
  constexpr std::size_t near = 6;
  if (far < entries.size() && !entries[far].is_cycle()) graph_.prefetch(entries[far].symbol);
  if (near < entries.size() && !entries[near].is_cycle()) {
    graph_.prefetch_arcs(entries[near].symbol);
    names_.prefetch(entries[near].symbol);
  }
}

void CallGraphText::append_explanation() {
  if (request_.traditional || request_.brief) return;
  text_.append(RangeKind::explanation, call_graph_explanation);
}

void CallGraphText::append_symbol(SymbolIndex symbol) {
  const GraphNode& node = graph_.node(symbol);
  append_callers(symbol);
  const std::uint32_t number = index_.number_of(symbol);
  append_primary(number, node.propagated, node.calls, node.self_calls,
                 node.calls + node.self_calls != 0);
  {
    const TextOutput::Mark mark(text_, RangeKind::entry_name, number);
    names_.append_numbered(text_, symbol);
  }
  text_ += '\n';
  append_total(symbol);
  append_callees(symbol);
}

void CallGraphText::append_cycle(CycleNumber cycle_number) {
  const Cycle& cycle = graph_.cycle(cycle_number);
  const std::uint32_t number = index_.number_of_cycle(cycle_number);
  append_primary(number, cycle.propagated, cycle.calls, cycle.internal_calls, true);
  {
    const TextOutput::Mark mark(text_, RangeKind::entry_name, number);
    names_.append_whole_cycle(text_, cycle_number);
  }
  text_ += '\n';
  append_members(cycle);
}

void CallGraphText::append_error_of(Ticks self) {
  if (request_.show_errors) text_ += error_column(data_.errors.error_of(self), data_.samples.rate);
}

void CallGraphText::append_times(const Propagation& propagated) {
  text_.append_fixed(seconds(propagated.self), 2, 7);
  append_error_of(propagated.self);
  text_ += ' ';
  text_.append_fixed(seconds(propagated.children), 2, children_width());
}

void CallGraphText::append_primary(std::uint32_t number, const Propagation& propagated,
                                   std::uint64_t calls, std::uint64_t self_calls,
                                   bool calls_known) {
  append_entry_number(number);
  text_ += ' ';
  append_share(text_, 100 * propagated.total() / propagated_, 1, 5);
  text_ += ' ';
  append_times(propagated);
  text_ += ' ';
  if (!calls_known) {
    text_.append_blanks(count_width + 1 + count_width);
  } else {
    append_calls(calls, self_calls);
  }
  text_ += ' ';
}

// "[4]   ", six bytes wide for any number.
void CallGraphText::append_entry_number(std::uint32_t number) {
  constexpr std::size_t width = 6;
  std::array<char, 16> shown;
  shown[0] = '[';
  char* end = std::to_chars(shown.data() + 1, shown.data() + shown.size() - 1, number).ptr;
  *end++ = ']';
  const auto size = std::min(static_cast<std::size_t>(end - shown.data()), width);
  text_ += std::string_view(shown.data(), size);
  text_.append_blanks(width - size);
}

// "12+3", or just the first if the second is 0.
void CallGraphText::append_calls(std::uint64_t calls, std::uint64_t self_calls) {
  text_.append_right(calls, count_width);
  if (self_calls != 0) {
    text_ += '+';
    text_.append_left(self_calls, count_width);
  } else {
    text_.append_blanks(1 + count_width);
  }
}

void CallGraphText::append_callers(SymbolIndex symbol) {
  const auto callers = arc_order_.callers_rising(symbol);
  if (callers.empty()) {
    text_.append_blanks(42 + middle_width());
    text_ += "<spontaneous>\n";
  }
  for (const ArcIndex index : callers) append_arc(graph_.arc(index), graph_.arc(index).caller);
}

void CallGraphText::append_callees(SymbolIndex symbol) {
  for (const ArcIndex index : arc_order_.callees_falling(symbol)) {
    append_arc(graph_.arc(index), graph_.arc(index).callee);
  }
}

void CallGraphText::append_arc(const GraphArc& arc, SymbolIndex shown) {
  const bool measured = graph_.is_measured() && arc.caller != arc.callee;
  if (is_internal_arc(graph_, arc) && !measured) {
    text_.append_blanks(22 + middle_width());
    text_.append_right(arc.count, count_width);
    text_.append_blanks(13);
  } else {
    const CycleNumber cycle = measured ? 0 : graph_.node(arc.callee).cycle;
    const std::uint64_t calls =
        cycle != 0 ? graph_.cycle(cycle).calls : graph_.node(arc.callee).calls;
    text_.append_blanks(13);
    text_.append_fixed(seconds(arc.self_share), 2, 7);
    text_.append_blanks(margin_width() + 1);
    text_.append_fixed(seconds(arc.children_share), 2, children_width());
    text_ += ' ';
    text_.append_right(arc.count, count_width);
    text_ += '/';
    text_.append_left(calls, count_width);
    text_.append_blanks(5);
  }
  if (shown == no_symbol) {
    text_ += "<spontaneous>";
  } else {
    names_.append_numbered(text_, shown);
  }
  text_ += '\n';
}

// By descending time, then calls.
void CallGraphText::append_members(const Cycle& cycle) {
  std::vector<SymbolIndex> members = cycle.members;
  std::stable_sort(members.begin(), members.end(), [&](SymbolIndex a, SymbolIndex b) {
    const GraphNode& node_a = graph_.node(a);
    const GraphNode& node_b = graph_.node(b);
    const Ticks time_a = node_a.propagated.total();
    const Ticks time_b = node_b.propagated.total();
    if (time_a != time_b) return time_a > time_b;
    return node_a.calls + node_a.self_calls > node_b.calls + node_b.self_calls;
  });
  for (const SymbolIndex member : members) {
    const GraphNode& node = graph_.node(member);
    text_.append_blanks(13);
    append_times(node.propagated);
    text_ += ' ';
    append_calls(node.calls, node.self_calls);
    text_.append_blanks(5);
    names_.append_numbered(text_, member);
    text_ += '\n';
  }
}

}  // namespace

void append_call_graph(TextOutput& text, const GraphReport& report) {
  const TextOutput::Mark section = begin_report(text);
  CallGraphText graph(text, report);
  graph.append_heading();
  const std::span<const GraphEntry> entries = report.index.entries();
  // Bounds are shown only for the first entries.
  if (report.data.bounds) {
    graph.append_entries(entries);
  } else {
    print_in_parts(text, entries.size(), [&](TextOutput& part, std::size_t begin, std::size_t end) {
      CallGraphText(part, report).append_entries(entries.subspan(begin, end - begin));
    });
  }
  graph.append_explanation();
}

}  // namespace gprof
