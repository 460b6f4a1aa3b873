#include "engine/report/debugging.h"

#include <algorithm>
#include <string_view>

#include "engine/report/arc_order.h"
#include "engine/report/layout.h"

namespace gprof {
namespace {

class DebugText {
 public:
  DebugText(TextOutput& text, const DebugInput& input) : text_(text), input_(input) {}

  void append_topics();

 private:
  using Section = void (DebugText::*)();

  [[nodiscard]] const SourceSymbolTable& symbols() const { return input_.joined.data.symbols; }
  [[nodiscard]] const CallGraph& graph() const { return input_.joined.data.graph; }
  [[nodiscard]] std::string_view name(SymbolIndex symbol) const {
    return symbol == no_symbol ? "<spontaneous>" : symbols()[symbol].name;
  }
  [[nodiscard]] std::string symbol_at(Address address) const;
  void append_topic(DebugTopic topic, std::string_view title, Section section);

  void append_symbols();
  void append_symspecs();
  void append_records();
  void append_lookups();
  void append_tally();
  void append_static_calls();
  void append_blocks();
  void append_order();
  void append_cycles();
  void append_propagation();
  void append_arc_order();
  void append_sources();

  TextOutput& text_;
  const DebugInput& input_;
};

std::string DebugText::symbol_at(Address address) const {
  const auto found = symbols().find(address);
  if (!found) return "no symbol";
  return fmt::format("{}+{:#x}", name(*found), address - symbols()[*found].address);
}

void DebugText::append_topic(DebugTopic topic, std::string_view title, Section section) {
  const auto number = static_cast<std::uint32_t>(topic);
  if ((input_.request.debug_topics & number) == 0) return;
  append(text_, "debug {}: {}\n", number, title);
  (this->*section)();
  text_ += '\n';
}

void DebugText::append_symbols() {
  for (const SourceSymbol& symbol : symbols().symbols()) {
    append(text_, "  [{:#x}, {:#x}) {} {} {}", symbol.address.value, symbol.end.value,
           symbol.is_static ? "static" : "global", symbol.is_function ? "function" : "label",
           symbol.name);
    if (symbol.file != no_source_file) {
      append(text_, " {}:{}", symbols().path(symbol.file), symbol.line);
    }
    text_ += '\n';
  }
}

void DebugText::append_symspecs() {
  static constexpr std::string_view lists[] = {"include in graph",
                                               "exclude from graph",
                                               "include arcs",
                                               "exclude arcs",
                                               "include in annotation",
                                               "exclude from annotation",
                                               "include in executions",
                                               "exclude from executions",
                                               "include in flat profile",
                                               "exclude from flat",
                                               "include time",
                                               "exclude time"};
  static_assert(std::size(lists) == symspec_list_count);
  for (const SymspecChoice& choice : input_.request.symspecs) {
    append(text_, "  {} '{}'", lists[static_cast<std::size_t>(choice.list)], choice.text);
    const SymspecTables table = SymspecTables::build(std::span(&choice, 1), symbols());
    const bool of_arcs =
        choice.list == SymspecList::include_arcs || choice.list == SymspecList::exclude_arcs;
    const auto chosen = std::ranges::count_if(symbols().symbols(), [&](const auto& symbol) {
      return !of_arcs && table.symbols(choice.list).contains(symbol.address);
    });
    if (!of_arcs) append(text_, ": {} symbols", chosen);
    text_ += '\n';
  }
}

void DebugText::append_records() {
  for (const Histogram& histogram : input_.raw.histograms) {
    append(text_, "  histogram [{:#x}, {:#x}), {} bins, {} a second\n", histogram.low.value,
           histogram.high.value, histogram.bins.size(), input_.raw.rate);
  }
  for (const RawArc& arc : input_.raw.arcs) {
    append(text_, "  arc from {:#x} to {:#x}, {} calls\n", arc.from_pc.value, arc.self_pc.value,
           arc.count);
  }
}

void DebugText::append_lookups() {
  for (const RawArc& arc : input_.raw.arcs) {
    append(text_, "  {:#x} is {}, {:#x} is {}\n", arc.from_pc.value, symbol_at(arc.from_pc),
           arc.self_pc.value, symbol_at(arc.self_pc));
  }
}

void DebugText::append_tally() {
  for (std::size_t i = input_.joined.arcs.size(); i-- > 0;) {
    const SiteArc& arc = input_.joined.arcs[i];
    const GraphNode& callee = graph().node(arc.callee);
    append(text_, "  {} calls {}, {} of {}+{}\n", name(arc.caller), name(arc.callee), arc.count,
           callee.calls, callee.self_calls);
  }
}

void DebugText::append_static_calls() {
  for (const SiteArc& arc : input_.joined.static_arcs) {
    append(text_, "  {} calls {} before {:#x}\n", name(arc.caller), name(arc.callee),
           arc.from_pc.value);
  }
}

void DebugText::append_blocks() {
  for (SymbolIndex symbol = 0; symbol < symbols().size(); ++symbol) {
    for (const BlockCount& block : input_.joined.data.blocks.of(symbol)) {
      append(text_, "  {} at {:#x}, {} executions\n", name(symbol), block.address.value,
             block.count);
    }
  }
}

void DebugText::append_order() {
  std::size_t number = 0;
  for (const SymbolIndex symbol : graph().callees_first()) {
    append(text_, "  {} {}\n", ++number, name(symbol));
  }
}

void DebugText::append_cycles() {
  for (CycleNumber number = 1; number <= graph().cycle_count(); ++number) {
    const Cycle& cycle = graph().cycle(number);
    append(text_, "  cycle {}, {} calls from outside, {} inside:", number, cycle.calls,
           cycle.internal_calls);
    for (const SymbolIndex member : cycle.members) append(text_, " {}", name(member));
    text_ += '\n';
  }
}

void DebugText::append_propagation() {
  for (SymbolIndex symbol = 0; symbol < symbols().size(); ++symbol) {
    const GraphNode& node = graph().node(symbol);
    if (node.total() == 0 && node.calls == 0) continue;
    append(text_, "  {}: self {:g}, children {:g}, fraction {:g}, {}\n", name(symbol), node.self,
           node.children, node.propagated.fraction,
           node.propagated.printed ? "printed" : "not printed");
  }
}

void DebugText::append_arc_order() {
  ArcOrder order(graph());
  for (const GraphEntry& entry : input_.index.entries()) {
    if (entry.is_cycle()) continue;
    for (const ArcIndex index : order.callers_rising(entry.symbol)) {
      const GraphArc& arc = graph().arc(index);
      append(text_, "  {} from {}: {:g} + {:g} ticks, {} calls\n", name(entry.symbol),
             name(arc.caller), arc.self_share, arc.children_share, arc.count);
    }
    for (const ArcIndex index : order.callees_falling(entry.symbol)) {
      const GraphArc& arc = graph().arc(index);
      append(text_, "  {} to {}: {:g} + {:g} ticks, {} calls\n", name(entry.symbol),
             name(arc.callee), arc.self_share, arc.children_share, arc.count);
    }
  }
}

void DebugText::append_sources() {
  for (const std::string& path : symbols().files()) append(text_, "  file {}\n", path);
  for (const std::string& directory : input_.request.source_directories) {
    append(text_, "  looked for in {}\n", directory);
  }
}

void DebugText::append_topics() {
  append_topic(DebugTopic::symbols, "symbols", &DebugText::append_symbols);
  append_topic(DebugTopic::symspecs, "symbol specifications", &DebugText::append_symspecs);
  append_topic(DebugTopic::records, "records of the profile", &DebugText::append_records);
  append_topic(DebugTopic::lookups, "addresses of arcs", &DebugText::append_lookups);
  append_topic(DebugTopic::tally, "counted arcs", &DebugText::append_tally);
  append_topic(DebugTopic::static_calls, "calls in the machine code",
               &DebugText::append_static_calls);
  append_topic(DebugTopic::blocks, "basic blocks", &DebugText::append_blocks);
  append_topic(DebugTopic::order, "callees before callers", &DebugText::append_order);
  append_topic(DebugTopic::cycles, "cycles", &DebugText::append_cycles);
  append_topic(DebugTopic::propagation, "propagated time, in ticks",
               &DebugText::append_propagation);
  append_topic(DebugTopic::arc_order, "arcs in the order of their entries",
               &DebugText::append_arc_order);
  append_topic(DebugTopic::sources, "source files", &DebugText::append_sources);
}

}  // namespace

void append_debugging(TextOutput& text, const DebugInput& input) {
  DebugText(text, input).append_topics();
}

}  // namespace gprof
