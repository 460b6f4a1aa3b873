// Results of this server's own requests about calls: gprof/callGraph, gprof/callSites,
// gprof/cycles, gprof/flameGraph. docs/lsp-extensions.md describes them.
//
// Units as in extension_answers.h. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// A function with its definition, if that is known; part of other messages.
struct NamedFunction {
  std::string name;
  std::string linkage_name;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("linkageName", self.linkage_name);
    visit.uri("uri", self.uri);
    visit("range", self.range, "of the name in the definition");
  }
};

// gprof/callGraph
struct CallGraphNode {
  std::uint32_t id = 0;
  NamedFunction function;
  std::uint64_t calls = 0;
  std::uint64_t recursive_calls = 0;
  double self_seconds = 0;
  double child_seconds = 0;
  double total_error = 0;
  std::optional<std::uint32_t> cycle;

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    NamedFunction::fields(visit, self.function);
    visit("calls", self.calls, "by other functions");
    visit("recursiveCalls", self.recursive_calls, "by itself; these have no arcs");
    visit("selfSeconds", self.self_seconds);
    visit("childSeconds", self.child_seconds);
    visit("totalError", self.total_error, "of both together");
    visit("cycle", self.cycle, "the number of the cycle that it belongs to");
  }
};

struct CallGraphArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t calls = 0;
  double self_seconds = 0;
  double child_seconds = 0;
  double error = 0;
  std::vector<Location> sites;

  static void fields(auto& visit, auto& self) {
    visit("from", self.from, "the caller's node");
    visit("to", self.to);
    visit("calls", self.calls);
    visit("selfSeconds", self.self_seconds, "of the callee's time, for these calls");
    visit("childSeconds", self.child_seconds);
    visit("error", self.error, "of both together");
    visit.optional("sites", self.sites, "where the counted calls are, if known; at most 20");
  }
};

// A function with all its instances.
struct CallGraphWhole {
  std::uint64_t calls = 0;
  std::uint64_t recursive_calls = 0;
  double self_seconds = 0;
  double child_seconds = 0;
  double total_error = 0;

  static void fields(auto& visit, auto& self) {
    visit("calls", self.calls);
    visit("recursiveCalls", self.recursive_calls);
    visit("selfSeconds", self.self_seconds);
    visit("childSeconds", self.child_seconds);
    visit("totalError", self.total_error, "of both together");
  }
};

struct CallGraphResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<std::uint32_t> root;
  std::vector<std::uint32_t> other_roots;
  std::optional<CallGraphWhole> whole;
  std::optional<TimeBasis> basis;
  std::vector<CallGraphNode> nodes;
  std::vector<CallGraphArc> arcs;
  SampleScale scale;
  bool truncated = false;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if there is none");
    visit("generation", self.generation);
    visit.nullable("root", self.root, "the function's node; null if there is no such function");
    visit.optional("otherRoots", self.other_roots,
                   "its other instances: of a template, in several units");
    visit("whole", self.whole,
          "root and otherRoots as one function; left out if there is one instance");
    visit("basis", self.basis);
    visit("nodes", self.nodes, "at most 500");
    visit("arcs", self.arcs, "at most 5,000");
    visit("truncated", self.truncated,
          "something was left out; the hottest at each function was kept");
    SampleScale::fields(visit, self.scale);
  }
};

// gprof/callSites
struct CallSite {
  std::string name;
  std::optional<Location> place;
  std::vector<Location> alternatives;
  std::optional<Location> definition;
  std::string through;
  std::uint64_t calls = 0;
  bool approximate = false;
  std::optional<double> seconds;
  std::optional<double> error;
  bool recursive = false;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name,
          "callers: the calling function; callees: the called one; the place is the call's");
    visit.part(self.place);
    visit.optional("alternatives", self.alternatives,
                   "other lines that may have made some of these calls, or all");
    visit("definition", self.definition, "of that function");
    visit.optional("through", self.through, "unprofiled code that made the call, such as qsort's");
    visit("calls", self.calls);
    visit.optional("approximate", self.approximate,
                   "some of these calls may belong to `alternatives`");
    visit("seconds", self.seconds, "total time of the callee for these calls");
    visit("error", self.error, "one standard deviation");
    visit.optional("recursive", self.recursive, "the function called itself");
  }
};

struct CallSitesResult {
  std::string program;
  std::uint64_t generation = 0;
  std::string name;
  std::optional<TimeBasis> basis;
  std::string unit;
  double program_seconds = 0;
  std::optional<double> seconds;
  std::vector<CallSite> sites;
  SampleScale scale;
  bool truncated = false;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if no profile has code of the document");
    visit("generation", self.generation);
    visit.optional("name", self.name, "of the function; left out if there is none at the place");
    visit("basis", self.basis);
    visit("unit", self.unit, "\"seconds\" unless the profile says otherwise");
    visit("programSeconds", self.program_seconds, "the program's time, of which shares are parts");
    visit("seconds", self.seconds,
          "of all these calls together: less than their sum where functions are recursive");
    visit("sites", self.sites,
          "most time first, then most calls, recursive ones last; at most 10,000");
    visit("truncated", self.truncated);
    SampleScale::fields(visit, self.scale);
  }
};

// gprof/cycles
struct CycleMember {
  NamedFunction function;
  std::uint64_t calls = 0;
  std::uint64_t recursive_calls = 0;
  double self_seconds = 0;
  double self_error = 0;

  static void fields(auto& visit, auto& self) {
    NamedFunction::fields(visit, self.function);
    visit("calls", self.calls, "by others, including members of the cycle");
    visit.optional("recursiveCalls", self.recursive_calls, "by itself; left out if there are none");
    visit("selfSeconds", self.self_seconds);
    visit("selfError", self.self_error);
  }
};

struct CallCycle {
  std::uint32_t number = 0;
  std::uint64_t calls = 0;
  std::uint64_t internal_calls = 0;
  double self_seconds = 0;
  double child_seconds = 0;
  double total_error = 0;
  std::uint64_t member_count = 0;
  std::vector<CycleMember> members;

  static void fields(auto& visit, auto& self) {
    visit("cycle", self.number, "its number, as in gprof/callGraph");
    visit("calls", self.calls, "from outside");
    visit("internalCalls", self.internal_calls, "between different members");
    visit("selfSeconds", self.self_seconds);
    visit("childSeconds", self.child_seconds, "of callees outside the cycle");
    visit("totalError", self.total_error, "of both together");
    visit("memberCount", self.member_count, "how many members there are");
    visit("members", self.members, "most self time first; at most 500, and 10,000 in all");
  }
};

struct CyclesResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<TimeBasis> basis;
  std::vector<CallCycle> cycles;
  std::uint64_t total = 0;
  std::string unit;
  SampleScale scale;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if none is loaded");
    visit("generation", self.generation);
    visit("basis", self.basis, "of childSeconds");
    visit("cycles", self.cycles, "most time first; at most 1,000");
    visit("total", self.total, "number of all cycles");
    visit("unit", self.unit, "\"seconds\" unless the profile says otherwise");
    SampleScale::fields(visit, self.scale);
  }
};

// gprof/flameGraph
struct GoneCallee {
  std::string name;
  double seconds = 0;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("seconds", self.seconds, "of a run of the base");
  }
};

struct FlameGraphNode {
  std::string name;
  double total = 0;
  double self = 0;
  std::optional<double> error;
  std::optional<double> self_error;
  double left_out = 0;
  bool inlined = false;
  std::optional<std::string> module;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;
  std::optional<DifferenceData> difference;
  std::vector<GoneCallee> gone;
  double gone_seconds = 0;
  std::vector<FlameGraphNode> children;

  static void fields(auto& visit, auto& node) {
    visit("name", node.name);
    visit("total", node.total, "self, the children's totals and leftOut together");
    visit("self", node.self);
    visit("error", node.error, "of the total: one standard deviation; left out if costs are exact");
    visit("selfError", node.self_error);
    visit.optional("leftOut", node.left_out, "of callees that are too small, too deep or too many");
    visit.optional("inlined", node.inlined,
                   "a function without a call: its code lies in that of the node around it");
    visit("module", node.module, "the file of a function or code of another module");
    visit.uri("uri", node.uri, "of the definition");
    visit("range", node.range);
    visit("difference", node.difference,
          "of the total; left out unless asked for, and where the base's is not known");
    visit.optional("gone", node.gone,
                   "callees that only the base has here; most time first, at most 10");
    visit.optional("goneSeconds", node.gone_seconds, "of all of these, in a run of the base");
    visit("children", node.children, "most time first; at most 10,000 nodes in all");
  }
};

struct FlameGraphResult {
  std::string program;
  std::uint64_t generation = 0;
  TimeBasis basis = TimeBasis::estimated;
  std::string unit;
  SampleScale scale;
  double total = 0;
  std::optional<bool> compared;
  std::optional<FlameGraphNode> root;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if there is none");
    visit("generation", self.generation);
    visit("basis", self.basis, "from sampled stacks, or by gprof's propagation");
    visit("unit", self.unit, "\"seconds\" unless the profile says otherwise");
    SampleScale::fields(visit, self.scale);
    visit("total", self.total, "the root's");
    visit("compared", self.compared,
          "if differences were asked for: whether the base has a tree of this kind");
    visit.nullable("root", self.root, "null if there is no program, or no function at the place");
  }
};

}  // namespace gprof::lsp
