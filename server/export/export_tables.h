// The functions and arcs of a profile as exports write them: with code of other modules, the
// collector included, if the sidecars have it, and with parts that the compiler split off counted
// as their functions.
//
// The self times of all functions add up to the whole of what was sampled; those of named functions
// to the flat profile's. Totals and arc times are measured if the profile's stacks cover all of it,
// else gprof's estimate.
//
// Units: ticks. Ownership: borrows the snapshot. Thread contract: immutable once made, except for
// the names, which belong to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "engine/callgraph/measured_arcs.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

struct ExportFunction {
  FlameFrame frame;  // a function, a module, or unknown code
  // Its symbols: itself and its split-off parts; empty for other code.
  std::vector<SymbolIndex> symbols;
  std::uint64_t calls = 0;            // by others
  std::uint64_t recursive_calls = 0;  // by itself
  Ticks self = 0;
  Ticks self_error = 0;  // one standard deviation
  Ticks total = 0;
  Ticks error = 0;        // of the total
  CycleNumber cycle = 0;  // 0: not in a cycle
  Ticks kernel = 0;       // the part of self spent in the kernel; 0 if unknown
};

struct ExportArc {
  // Indices into functions(); equal where a function calls itself.
  std::uint32_t caller = 0;
  std::uint32_t callee = 0;
  std::uint64_t calls = 0;  // 0: calls are not counted, as in other modules
  Ticks ticks = 0;
  Ticks error = 0;                       // one standard deviation
  std::vector<MeasuredCallSite> places;  // of measured times
};

// Times as integers, for formats that have no others.
struct ExportUnit {
  double per_tick = 1;
  std::string_view name = "samples";
};

class ExportTables {
 public:
  explicit ExportTables(const Snapshot& snapshot);

  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] bool measured() const { return snapshot_.measured().known(); }
  // By self time, then calls, then linkage name, as in gprof's flat profile.
  [[nodiscard]] const std::vector<ExportFunction>& functions() const { return functions_; }
  // By caller in the order of functions(); most time first, then most calls.
  [[nodiscard]] const std::vector<ExportArc>& arcs() const { return arcs_; }
  // Arcs of one caller.
  [[nodiscard]] std::span<const ExportArc> arcs_of(std::uint32_t caller) const;
  // Indices of functions(), by address, other code last: the fastest order for reading debug
  // information.
  [[nodiscard]] std::vector<std::uint32_t> by_address() const;
  [[nodiscard]] std::vector<FlameFrame> frames() const;
  // Of all functions.
  [[nodiscard]] Ticks self_ticks() const { return self_ticks_; }

 private:
  void add_counted_functions();
  void add_other_code();
  void add_measured_functions(const MeasuredCalls& calls);
  void sort_functions();
  void add_counted_arcs();
  void add_measured_arcs(const MeasuredCalls& calls);
  void add_errors();
  void sort_arcs();
  std::uint32_t function_of(const FlameFrame& frame);
  [[nodiscard]] ExportArc& arc_between(const FlameFrame& caller, const FlameFrame& callee);

  const Snapshot& snapshot_;
  std::vector<ExportFunction> functions_;
  std::vector<ExportArc> arcs_;
  std::map<FlameFrame, std::uint32_t> index_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> arc_index_;
  Ticks self_ticks_ = 0;
};

// Microseconds where the profile's unit is the second, else samples.
[[nodiscard]] ExportUnit export_unit(const FunctionCosts& profile);
// "measured" or "estimated".
[[nodiscard]] std::string_view basis_name(bool measured);

}  // namespace gprof::lsp
