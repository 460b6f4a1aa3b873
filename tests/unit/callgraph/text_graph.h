// Call graphs and stacks written as text.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/callgraph/call_graph.h"

namespace gprof_tests {

using namespace gprof;

// A call graph as text: lines "name TICKS" give self times, lines "caller->callee COUNT" arcs
// (caller "?" is spontaneous), stacks "main;f;g TICKS" samples, outermost first ("[x]" is a frame
// of another module, "[x:f" one of a function of it, "..." means left-out frames). Functions are
// numbered in order of appearance.
class TextGraph {
 public:
  explicit TextGraph(const std::string& text) {
    std::istringstream lines(text);
    std::string subject;
    std::uint64_t number = 0;
    while (lines >> subject >> number) {
      const std::size_t arrow = subject.find("->");
      if (subject.find(';') != std::string::npos) {
        add_stack(subject, static_cast<Ticks>(number));
      } else if (arrow == std::string::npos) {
        self_[index(subject)] = static_cast<Ticks>(number);
      } else {
        const std::string caller = subject.substr(0, arrow);
        const SymbolIndex from = caller == "?" ? no_symbol : index(caller);
        sites_.push_back({Address{sites_.size()}, from, index(subject.substr(arrow + 2)), number});
      }
    }
    graph = CallGraph::build(self_, sites_);
  }

  const GraphNode& node(const std::string& name) { return graph.node(index(name)); }
  const GraphArc& arc(const std::string& caller, const std::string& callee) {
    for (const GraphArc& arc : graph.arcs()) {
      const SymbolIndex from = caller == "?" ? no_symbol : index(caller);
      if (arc.caller == from && arc.callee == index(callee)) return arc;
    }
    throw std::out_of_range(caller + "->" + callee);
  }

  SymbolIndex index(const std::string& name) {
    const auto [entry, inserted] =
        index_.try_emplace(name, static_cast<SymbolIndex>(index_.size()));
    if (inserted) self_.push_back(0);
    return entry->second;
  }

  CallGraph graph;
  StackSamples stacks;

 private:
  void add_stack(const std::string& text, Ticks ticks) {
    std::istringstream names(text);
    std::string name;
    std::vector<StackFrame> frames;
    while (std::getline(names, name, ';')) {
      StackFrame frame;
      if (name == "...") {
        frame.module = StackFrame::left_out;
      } else if (name.starts_with('[')) {
        const std::size_t colon = std::min(name.find(':'), name.size());
        frame.module = stacks.number_of(
            {name.substr(0, colon), name.substr(std::min(colon + 1, name.size()))});
      } else {
        frame.symbol = index(name);
        frame.place = Address{100 * (frame.symbol + 1)};
      }
      frames.insert(frames.begin(), frame);
    }
    stacks.add_stack(ticks, false, frames);
  }

  std::map<std::string, SymbolIndex> index_;
  std::vector<Ticks> self_;
  std::vector<SiteArc> sites_;
};

}  // namespace gprof_tests
