// What a source file costs: per line and per function, in its own lines' terms.
//
// Units: ticks; lines from 1. Thread contract: value types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/dwarf/debug_information.h"
#include "engine/source/inlined_time.h"

namespace gprof {

// Calls from one line to one function.
struct LineCall {
  SymbolIndex callee = no_symbol;
  std::uint64_t count = 0;
  // Empty where the calls are certainly from this line. Else the lines of this file, this one
  // included, among which the profile cannot tell.
  std::vector<LineNumber> candidate_lines;
  // Of samples under these very calls; none where it was not measured.
  std::optional<Ticks> measured;

  [[nodiscard]] bool approximate() const { return !candidate_lines.empty(); }
};

struct LineCost {
  LineNumber line = 0;
  // From basic-block counts: the largest block of the line in each function instance, summed over
  // instances (manual, "Basic-Block Counting"). None where no block lies on the line.
  std::optional<std::uint64_t> executions;
  Ticks self = 0;
  // Of samples in the line or under its calls; none where it was not measured.
  std::optional<Ticks> measured_total;
  std::vector<LineCall> calls;  // most calls first
  // What was inlined, from here and to here; null where no time was.
  std::shared_ptr<const LineInlining> inlining;
  // As measured_total, with the code that calls on the line brought with them.
  std::optional<Ticks> measured_total_with_inlined;

  // The line's time where inlined code counts at the call that was inlined, not at its own lines.
  [[nodiscard]] Ticks self_at_calls() const {
    return inlining ? std::max(0.0, self - inlining->self) + inlining->here : self;
  }
};

// What is known of how often a function was called.
enum class CallCounting : std::uint8_t {
  counted,           // there is a count
  never_called,      // instrumented, and no sign that it ever ran
  uncounted_caller,  // instrumented and it ran, but only code that counts no calls called it
  not_instrumented,  // its code calls no mcount
  only_inlined,      // it has no code of its own
  no_call_counts,    // the profile holds no arcs at all
  unknown,           // not called, and its code cannot be read (unknown architecture)
};

// A function as its source declares it: all that the compiler made of one definition (clones,
// template instances, copies in several units).
struct FunctionCost {
  std::string name;       // qualified, without parameters
  std::string signature;  // with parameters, of the first instance
  Declaration declaration;
  LineNumber last_line = 0;          // of its body, as far as code was made for it
  std::vector<SymbolIndex> symbols;  // its out-of-line code, by address
  std::uint32_t instances = 0;       // symbols that are functions of their own (no parts)

  CallCounting counting = CallCounting::unknown;
  std::uint64_t calls = 0;            // from other functions
  std::uint64_t recursive_calls = 0;  // of itself
  Ticks self = 0;                     // of its out-of-line code, what was inlined into it included
  Ticks children = 0;
  Ticks total_error = 0;   // one standard deviation of total()
  bool measured = false;   // the children's time; else gprof's estimate
  std::uint32_t rank = 0;  // 1 is the hottest of the program by self; 0 without samples
  CycleNumber cycle = 0;
  std::uint32_t inlined_calls = 0;  // places where it was inlined
  Ticks inlined_self = 0;           // spent in its inlined code, which other functions' self holds

  [[nodiscard]] Ticks total() const { return self + children; }
};

struct FileCosts {
  FileId file = no_file;
  std::vector<LineCost> lines;          // ascending
  std::vector<FunctionCost> functions;  // ascending by line
  // Lines for which code exists, ascending: the others can hold no cost.
  std::vector<LineNumber> lines_with_code;

  [[nodiscard]] const LineCost* line(LineNumber number) const;
  // The function whose definition or body holds the line; the innermost where they nest.
  [[nodiscard]] const FunctionCost* function_at(LineNumber number) const;
};

}  // namespace gprof
