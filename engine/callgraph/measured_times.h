// Times that were measured, not estimated: what functions, arcs and lines took with all that they
// called, from the stacks that were sampled.
//
// A function is counted once a sample that has it on its stack, however often it is there, and so
// is an arc; recursion and cycles need no other rule. Two functions with nothing but foreign code
// between them (a comparator and the function that called qsort) are neighbours.
//
// Where a tool has counted what calls cost (callgrind), the figures come from there and are exact.
//
// Units: ticks; SampleErrors tells the errors of sampled ones. Ownership: shares the stacks'
// data by copy of what it needs. Thread contract: immutable.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/import/imported_profile.h"
#include "engine/profile/stack_samples.h"

namespace gprof {

struct MeasuredArc {
  SymbolIndex caller = no_symbol;  // no_symbol: nobody in this module called
  SymbolIndex callee = no_symbol;
  Ticks ticks = 0;
  Ticks self = 0;  // of them in the callee's own code
};

class MeasuredTimes {
 public:
  // Nothing is measured.
  MeasuredTimes() = default;
  // `stacks` must outlive it. Nothing is measured where they are not complete().
  MeasuredTimes(const StackSamples& stacks, std::size_t symbol_count);

  [[nodiscard]] bool known() const { return stacks_ != nullptr || costs_ != nullptr; }
  // Whether the figures were counted, and have no error.
  [[nodiscard]] bool exact() const { return costs_ != nullptr; }

  // Whether they come of stacks, which tell whole ways and not calls alone.
  [[nodiscard]] bool has_stacks() const { return stacks_ != nullptr; }

  // From what was counted of calls, with all that they called, in place of stacks: exact figures.
  // `costs` must outlive it. Nothing is measured where there are none.
  MeasuredTimes(const InclusiveCosts& costs, std::size_t symbol_count);

  // Of all samples, in code of other modules too.
  [[nodiscard]] Ticks whole() const { return stacks_ ? stacks_->total() : whole_; }
  // Of a function; 0 where it was never seen.
  [[nodiscard]] Ticks total(SymbolIndex symbol) const {
    return symbol < totals_.size() ? totals_[symbol] : 0;
  }
  // Of several symbols as one function.
  [[nodiscard]] Ticks total(std::span<const SymbolIndex> function) const;
  // Of samples on whose stacks frames are missing and the function is not seen: it may be one of
  // those that are missing.
  [[nodiscard]] Ticks unseen(std::span<const SymbolIndex> function) const;
  // Of samples in code of other modules that the function called, not by way of another function.
  [[nodiscard]] Ticks foreign_below(std::span<const SymbolIndex> function) const;
  // All arcs, ascending by caller and callee; none of a function to itself.
  [[nodiscard]] std::span<const MeasuredArc> arcs() const { return arcs_; }
  // 0 where it was never seen.
  [[nodiscard]] Ticks arc(SymbolIndex caller, SymbolIndex callee) const;
  // What was counted of calls, by place; empty where exact() is false.
  [[nodiscard]] std::span<const InclusiveCall> counted_calls() const { return calls_; }
  [[nodiscard]] Ticks counted_foreign() const { return costs_ ? costs_->foreign : 0; }
  // The arcs to a function, or from it, that has several symbols: most time first, without those
  // between its symbols. The end in the function is its first symbol.
  [[nodiscard]] std::vector<MeasuredArc> callers(std::span<const SymbolIndex> function) const;
  [[nodiscard]] std::vector<MeasuredArc> callees(std::span<const SymbolIndex> function) const;

  // Of samples that were in the code of these ranges or under calls from there.
  [[nodiscard]] Ticks at(std::span<const AddressRange> ranges) const;
  // Of samples under calls from these ranges to the callee.
  [[nodiscard]] Ticks calls_at(std::span<const AddressRange> ranges, SymbolIndex callee) const;

 private:
  // A frame in the module's own code.
  struct Frame {
    Address place;
    std::uint32_t stack = 0;
    std::uint32_t position = 0;  // in the stack, innermost first
  };

  void add_totals(std::size_t symbol_count);
  void add_arcs();
  void add_frames();
  void add_counted_arcs();
  [[nodiscard]] Ticks count_once(std::vector<std::uint32_t> stacks) const;
  [[nodiscard]] std::span<const Frame> frames_in(AddressRange range) const;
  [[nodiscard]] std::vector<std::uint32_t> stacks_with(std::span<const SymbolIndex> function) const;
  [[nodiscard]] std::vector<MeasuredArc> neighbours(std::span<const SymbolIndex> function,
                                                    bool want_callers) const;

  [[nodiscard]] std::span<const InclusiveCall> calls_in(AddressRange range) const;

  const StackSamples* stacks_ = nullptr;
  const InclusiveCosts* costs_ = nullptr;
  Ticks whole_ = 0;                             // of what was counted
  std::vector<InclusiveCall> calls_;            // that were counted, by place
  std::map<SymbolIndex, Ticks> foreign_calls_;  // what was counted of other modules, by caller
  std::vector<Ticks> totals_;                   // by symbol
  std::vector<Ticks> of_incomplete_;            // of them on stacks that miss frames
  Ticks incomplete_ = 0;                        // of all stacks that miss frames
  std::vector<MeasuredArc> arcs_;
  std::vector<Frame> frames_;             // by place
  std::vector<std::uint32_t> of_symbol_;  // stacks with the symbol, each once
  std::vector<std::uint32_t> first_;      // of a symbol in of_symbol_; one more at the end
};

}  // namespace gprof
