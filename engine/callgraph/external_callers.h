// Who in the program called a function of another module. Sampled stacks show the program's
// innermost code outside of it, whatever code of libraries is in between; counted calls (callgrind)
// show direct callers.
//
// A function is known by the name of its code, and by the name that it was imported under
// (imported_names.h): sin is where __sin_fma ran for it.
//
// Units: ticks. Ownership: the result owns its names; the finder borrows what it is made of.
// Thread contract: a finder is used by one thread. Errors: none; without stacks there are no
// callers. Cost: a finder is linear in the frames of all stacks, a question in those of the stacks
// with the function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/analysis/stack_samples.h"
#include "engine/callgraph/imported_names.h"
#include "engine/callgraph/measured_times.h"

namespace gprof {

// Calls from one place in the program by way of one function of a library.
struct ExternalCallSite {
  SymbolIndex caller = no_symbol;  // never no_symbol
  Address call;                    // the last byte of the call instruction
  ExternalCode through;            // what the caller called, if that is another function
  Ticks ticks = 0;                 // of samples in the function or in what it called
};

struct ExternalCallers {
  Ticks total = 0;                      // of samples in it, or in what it called; whoever called it
  Ticks self = 0;                       // of samples in its own code
  std::vector<ExternalCallSite> sites;  // most time first
  std::vector<MeasuredArc> arcs;        // one a caller, most time first; callee: no_symbol
};

class ExternalCallerFinder {
 public:
  ExternalCallerFinder(const SymbolTable& symbols, const MachineCode& code,
                       const StackSamples& stacks);

  // Of a function of a module; without a name: of the module's code of no known function.
  [[nodiscard]] ExternalCallers callers_of(const ExternalCode& function);

 private:
  class Sums;

  // Visits, from the innermost on, what the program's code called of libraries on a stack.
  template <typename Visit>
  void for_each_way(const SampledStack& stack, const Visit& visit);
  // What the frame's call instruction called, where code of a library was reached.
  [[nodiscard]] ExternalCode called_at(const StackFrame& caller, const ExternalCode& reached);

  const StackSamples& stacks_;
  ImportedNames imported_;
  std::map<ExternalCode, std::vector<std::uint32_t>> stacks_with_;  // ascending
};

// The same from counted calls: direct callers alone. A function that only libraries call has none.
// Borrows stacks and counted times. Cost: linear in all calls, once.
class CountedCallerFinder {
 public:
  // `stacks` numbers the code of other modules; it needs no stacks.
  CountedCallerFinder(const SymbolTable& symbols, const MachineCode& code,
                      const StackSamples& stacks, const CountedTimes& counted);

  [[nodiscard]] ExternalCallers callers_of(const ExternalCode& function) const;

 private:
  const StackSamples& stacks_;
  const CountedTimes& counted_;
  std::map<ExternalCode, std::vector<const InclusiveCall*>> calls_to_;  // by either name
};

}  // namespace gprof
