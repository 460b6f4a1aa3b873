#include "engine/report/call_graph_report.h"

#include <algorithm>
#include <vector>

#include "engine/report/arc_order.h"
#include "engine/report/explanations.h"
#include "engine/report/layout.h"

namespace gprof {
namespace {

class CallGraphText {
 public:
  CallGraphText(std::string& text, const GraphReport& report)
      : text_(text),
        request_(report.request),
        data_(report.data),
        graph_(report.data.graph),
        index_(report.index),
        names_(report.names),
        propagated_(graph_.propagated_ticks() != 0 ? graph_.propagated_ticks() : 1) {}

  // Each is a walk of the whole graph.
  static constexpr std::size_t most_bounds = 1000;

  void append_heading();
  void append_entries();

 private:
  // One arc as the lines of callers and callees show it.
  struct ArcLine {
    const GraphArc& arc;
    SymbolIndex shown;  // the end of the arc that the entry is not about
  };

  [[nodiscard]] Seconds seconds(Ticks ticks) const { return seconds_of(ticks, data_.samples.rate); }
  // In lines that show no error.
  [[nodiscard]] std::string margin() const {
    return std::string(request_.show_errors ? error_width : 0, ' ');
  }
  [[nodiscard]] std::string error_of(Ticks self) const {
    return request_.show_errors ? error_column(self, data_.samples.rate) : "";
  }
  // Of the column "children".
  [[nodiscard]] int children_width() const { return request_.traditional ? 11 : 7; }
  // Of what stands between the columns "self" and "called".
  [[nodiscard]] int middle_width() const {
    return children_width() + static_cast<int>(margin().size());
  }
  [[nodiscard]] bool is_printed(const GraphEntry& entry) const;
  void append_basis();
  void append_total(SymbolIndex symbol);
  void append_symbol(SymbolIndex symbol);
  void append_cycle(CycleNumber cycle);
  void append_primary(std::uint32_t number, const Propagation& propagated, std::uint64_t calls,
                      std::uint64_t self_calls, bool calls_known);
  void append_callers(SymbolIndex symbol);
  void append_callees(SymbolIndex symbol);
  void append_arc(const ArcLine& line);
  void append_members(const Cycle& cycle);

  std::string& text_;
  const ReportRequest& request_;
  const ReportData& data_;
  const CallGraph& graph_;
  const GraphIndex& index_;
  const ReportNames& names_;
  const Ticks propagated_;
  std::size_t bounds_shown_ = 0;
};

void CallGraphText::append_heading() {
  begin_report(text_);
  if (!request_.traditional) {
    text_ +=
        request_.brief ? "\t\t\tCall graph\n\n" : "\t\t     Call graph (explanation follows)\n\n";
  } else if (!request_.brief) {
    text_ += traditional_call_graph_explanation;
  }
  append(text_, "\ngranularity: each sample hit covers {} byte(s)",
         bytes_a_sample(data_.samples.scale));
  const Ticks propagated = graph_.propagated_ticks();
  if (propagated > 0) {
    append(text_, " for {:.2f}% of {:.2f} seconds\n\n", 100.0 / propagated, seconds(propagated));
  } else {
    text_ += " no time propagated\n\n";
  }
  append_basis();
  const std::string head = request_.show_errors ? right_aligned("+-error", error_width) : "";
  if (request_.traditional) {
    append(text_, "                        {0}          called/total       parents \n", margin());
    append(text_, "index  %time    self{} descendants  called+self    name    \tindex\n", head);
    append(text_, "                        {0}          called/total       children\n\n", margin());
  } else {
    append(text_, "index % time    self{}  children    called     name\n", head);
  }
}

// How times of callees are known, which gprof leaves to its manual.
void CallGraphText::append_basis() {
  if (!request_.accurate || graph_.propagated_ticks() <= 0) return;
  text_ += graph_.is_measured()
               ? "times with callees are measured, from the stacks of all samples\n\n"
               : "times with callees are estimated, by numbers of calls\n\n";
}

// The error of a function's time with its callees', and what that lies between whatever each call
// cost.
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

void CallGraphText::append_entries() {
  for (const GraphEntry& entry : index_.entries()) {
    if (!is_printed(entry)) continue;
    entry.is_cycle() ? append_cycle(entry.cycle) : append_symbol(entry.symbol);
    if (request_.traditional) text_ += '\n';
    text_ += "-----------------------------------------------\n";
    if (request_.traditional) text_ += '\n';
  }
  if (!request_.traditional && !request_.brief) text_ += call_graph_explanation;
}

void CallGraphText::append_symbol(SymbolIndex symbol) {
  const GraphNode& node = graph_.node(symbol);
  append_callers(symbol);
  append_primary(index_.number_of(symbol), node.propagated, node.calls, node.self_calls,
                 node.calls + node.self_calls != 0);
  text_ += names_.numbered(symbol);
  text_ += '\n';
  append_total(symbol);
  append_callees(symbol);
}

void CallGraphText::append_cycle(CycleNumber number) {
  const Cycle& cycle = graph_.cycle(number);
  append_primary(index_.number_of_cycle(number), cycle.propagated, cycle.calls,
                 cycle.internal_calls, true);
  text_ += names_.whole_cycle(number);
  text_ += '\n';
  append_members(cycle);
}

void CallGraphText::append_primary(std::uint32_t number, const Propagation& propagated,
                                   std::uint64_t calls, std::uint64_t self_calls,
                                   bool calls_known) {
  text_ += left_aligned(fmt::format("[{}]", number), 6);
  append(text_, " {:>5.1f} {:>7.2f}{} {:>{}.2f}", 100 * propagated.total() / propagated_,
         seconds(propagated.self), error_of(propagated.self), seconds(propagated.children),
         children_width());
  if (!calls_known) {
    append(text_, " {:7} {:7} ", "", "");
  } else if (self_calls != 0) {
    append(text_, " {:7}+{:<7} ", calls, self_calls);
  } else {
    append(text_, " {:7} {:7} ", calls, "");
  }
}

void CallGraphText::append_callers(SymbolIndex symbol) {
  const std::vector<ArcIndex> callers = callers_rising(graph_, symbol);
  if (callers.empty()) append(text_, "{:{}}<spontaneous>\n", "", 42 + middle_width());
  for (const ArcIndex index : callers) append_arc({graph_.arc(index), graph_.arc(index).caller});
}

void CallGraphText::append_callees(SymbolIndex symbol) {
  for (const ArcIndex index : callees_falling(graph_, symbol)) {
    append_arc({graph_.arc(index), graph_.arc(index).callee});
  }
}

void CallGraphText::append_arc(const ArcLine& line) {
  const GraphArc& arc = line.arc;
  const bool measured = graph_.is_measured() && arc.caller != arc.callee;
  if (is_internal_arc(graph_, arc) && !measured) {
    append(text_, "{:{}}{:7}             ", "", 22 + middle_width(), arc.count);
  } else {
    const CycleNumber cycle = measured ? 0 : graph_.node(arc.callee).cycle;
    const std::uint64_t calls =
        cycle != 0 ? graph_.cycle(cycle).calls : graph_.node(arc.callee).calls;
    append(text_, "{:13}{:>7.2f}{} {:>{}.2f} {:7}/{:<7}     ", "", seconds(arc.self_share),
           margin(), seconds(arc.children_share), children_width(), arc.count, calls);
  }
  text_ += line.shown == no_symbol ? "<spontaneous>" : names_.numbered(line.shown);
  text_ += '\n';
}

// By falling time, then by falling calls.
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
    append(text_, "{:13}{:>7.2f}{} {:>{}.2f} {:7}", "", seconds(node.propagated.self),
           error_of(node.propagated.self), seconds(node.propagated.children), children_width(),
           node.calls);
    if (node.self_calls != 0) {
      append(text_, "+{:<7}     ", node.self_calls);
    } else {
      append(text_, " {:7}     ", "");
    }
    text_ += names_.numbered(member);
    text_ += '\n';
  }
}

}  // namespace

void append_call_graph(std::string& text, const GraphReport& report) {
  CallGraphText graph(text, report);
  graph.append_heading();
  graph.append_entries();
}

}  // namespace gprof
