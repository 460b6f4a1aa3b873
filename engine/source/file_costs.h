// The costs of a source file, by line and by function, with its own line numbers.
//
// Units: ticks; lines from 1. Thread contract: value types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/analysis/wait_index.h"
#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/measured_times.h"
#include "engine/dwarf/debug_information.h"
#include "engine/source/inlined_time.h"

namespace gprof {

// Calls from one line to one function.
struct LineCall {
  SymbolIndex callee = no_symbol;
  std::uint64_t count = 0;  // 0: not counted, but seen on stacks
  // Empty if the calls are certainly from this line. Otherwise the lines of this file, including
  // this one, that the profile cannot tell apart.
  std::vector<LineNumber> candidate_lines;
  // Of samples under these calls; none if not measured.
  std::optional<Ticks> measured;

  [[nodiscard]] bool approximate() const { return !candidate_lines.empty(); }
};

struct LineCost {
  LineNumber line = 0;
  // From basic-block counts: the largest block of the line in each function instance, summed over
  // instances (manual, "Basic-Block Counting"). None if the line has no block.
  std::optional<std::uint64_t> executions;
  Ticks self = 0;
  Ticks kernel = 0;  // the part of self spent in the kernel; 0 if unknown
  // Of samples in the line, in what was inlined into it, or under calls from either; none if not
  // measured. So the lines of a function add up to its total, and to that of its inlined copies.
  std::optional<Ticks> measured_total;
  std::vector<LineCall> calls;  // most calls first, then most time
  // Part of the total: calls of other modules, most time first; empty if not measured.
  std::vector<ExternalCall> external_calls;
  // What was inlined from here and to here; null if no time was.
  std::shared_ptr<const LineInlining> inlining;
  // Of threads that were blocked in calls of the line, of what was inlined into it, or in what
  // these calls led to; null if there are none. A wait counts once on a line, however often the
  // line is on its stack.
  std::shared_ptr<const WaitSummary> waits;
  // The part of them that blocked in the line itself, or in a library that it called; null if there
  // are none.
  std::shared_ptr<const WaitSummary> own_waits;

  // The line's time if inlined code counts at the inlined call, not at its own lines.
  [[nodiscard]] Ticks self_at_calls() const {
    return inlining ? std::max(0.0, self - inlining->self) + inlining->here : self;
  }
  // The line's own copies are then part of the totals of the lines that they were inlined into.
  [[nodiscard]] std::optional<Ticks> measured_total_at_calls() const {
    if (!measured_total || !inlining) return measured_total;
    return std::max(0.0, *measured_total - inlining->self);
  }
};

// What is known about how often a function was called.
enum class CallCounting : std::uint8_t {
  counted,           // there is a count
  never_called,      // instrumented, and no sign that it ever ran
  uncounted_caller,  // instrumented and it ran, but only uninstrumented code called it
  not_instrumented,  // its code does not call mcount
  only_inlined,      // it has no code of its own
  no_call_counts,    // the profile has no arcs at all
  unknown,           // not called, and its code cannot be read (unknown architecture)
};

// A function as declared in its source: everything the compiler made of one definition (clones,
// template instances, copies in several units).
struct FunctionCost {
  std::string name;       // qualified, without parameters
  std::string signature;  // with parameters, of the first instance
  Declaration declaration;
  LineNumber last_line = 0;          // of its body, as far as it has code
  std::vector<SymbolIndex> symbols;  // its out-of-line code, by address
  std::uint32_t instances = 0;       // symbols that are functions of their own (not parts)

  CallCounting counting = CallCounting::unknown;
  std::uint64_t calls = 0;            // from other functions
  std::uint64_t recursive_calls = 0;  // of itself
  Ticks self = 0;                     // of its out-of-line code, including what was inlined into it
  Ticks kernel = 0;                   // the part of self spent in the kernel; 0 if unknown
  Ticks children = 0;
  bool without_total = false;  // children and cycle are not known yet, nor is the rank
  Ticks total_error = 0;       // one standard deviation of total()
  bool measured = false;       // the children's time; otherwise gprof's estimate
  // The total is not measured, and what libraries took that it may have called is not in it.
  bool lacks_libraries = false;
  std::uint32_t rank = 0;  // by self time, among functions of libraries too; 0 without samples
  CycleNumber cycle = 0;
  std::uint32_t inlined_calls = 0;  // places where it was inlined
  Ticks inlined_self = 0;           // in its inlined code, contained in other functions' self
  Ticks inlined_kernel = 0;         // the part of inlined_self spent in the kernel
  // Of samples in its inlined code or under calls from there; none if not measured.
  std::optional<Ticks> measured_inlined_total;
  // Of threads that were blocked in it or in what it called, inlined copies included; null if there
  // are none.
  std::shared_ptr<const WaitSummary> waits;
  // The part of them that blocked in its own code, or in a library that it called; null if there
  // are none.
  std::shared_ptr<const WaitSummary> own_waits;

  [[nodiscard]] Ticks total() const { return self + children; }
};

struct FileCosts {
  FileId file = no_file;
  std::vector<LineCost> lines;          // ascending
  std::vector<FunctionCost> functions;  // ascending by line
  // Lines with code, ascending: others cannot have a cost.
  std::vector<LineNumber> lines_with_code;
  // Counts and self times alone: what needs the call graph or stacks is not known yet.
  bool without_totals = false;

  [[nodiscard]] const LineCost* line(LineNumber number) const;
  // The functions whose definitions begin on the line.
  [[nodiscard]] std::span<const FunctionCost> functions_declared_at(LineNumber number) const;
  // The function whose definition or body contains the line; the innermost if nested.
  [[nodiscard]] const FunctionCost* function_at(LineNumber number) const;
};

}  // namespace gprof
