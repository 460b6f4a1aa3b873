// Measured (not estimated) totals of functions, arcs and lines, from the sampled stacks.
//
// A function counts once per sample with it on the stack, however often it appears there, and so
// does an arc; recursion and cycles need no other rule. Two functions with only other modules' code
// between them (a comparator and the caller of qsort) are adjacent.
//
// If a tool has counted what calls cost (callgrind), the figures come from there and are exact.
//
// Units: ticks; SampleErrors tells the errors of sampled ones. Ownership: borrows what it is made
// from. Thread contract: immutable.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/analysis/stack_samples.h"
#include "engine/import/imported_profile.h"

namespace gprof {

struct MeasuredArc {
  SymbolIndex caller = no_symbol;  // no_symbol: no caller in this module
  SymbolIndex callee = no_symbol;
  Ticks ticks = 0;
  Ticks self = 0;  // of them in the callee's own code
};

// A call of code of another module, from the profile's own.
struct ExternalCall {
  Address call;              // the last byte of the call instruction
  std::uint32_t module = 0;  // number of the called code in StackSamples
  // From stacks, of samples in it and in what it called of other modules; from counted calls, with
  // all that it called.
  Ticks ticks = 0;
};

class CountedTimes;
class StackTimes;

// What every kind of measurement answers. This one is of nothing: it knows no times.
class MeasuredTimes {
 public:
  MeasuredTimes() = default;
  MeasuredTimes(const MeasuredTimes&) = delete;
  MeasuredTimes& operator=(const MeasuredTimes&) = delete;
  virtual ~MeasuredTimes() = default;

  [[nodiscard]] virtual bool known() const { return false; }
  // Whether they come of stacks, which tell whole ways and not calls alone.
  [[nodiscard]] virtual bool has_stacks() const { return false; }
  // Themselves where they come of stacks; else null.
  [[nodiscard]] virtual const StackTimes* of_stacks() const { return nullptr; }
  // Themselves where the figures were counted, and have no error; else null.
  [[nodiscard]] virtual const CountedTimes* counted() const { return nullptr; }

  // Of all samples, in code of other modules too.
  [[nodiscard]] virtual Ticks whole() const { return 0; }
  // Of a function; 0 where it was never seen.
  [[nodiscard]] Ticks total(SymbolIndex symbol) const {
    return symbol < totals_.size() ? totals_[symbol] : 0;
  }
  // Of several symbols as one function.
  [[nodiscard]] Ticks total(std::span<const SymbolIndex> function) const {
    return function.size() == 1 ? total(function.front()) : total_of_parts(function);
  }
  // Of samples on whose stacks frames are missing and the function is not seen: it may be one of
  // those that are missing.
  [[nodiscard]] virtual Ticks unseen(std::span<const SymbolIndex> function) const;
  // Of samples in code of other modules that the function called, not by way of another function.
  [[nodiscard]] virtual Ticks external_below(std::span<const SymbolIndex> function) const;
  // The same by call, most time first; empty if calls are not known.
  [[nodiscard]] virtual std::vector<ExternalCall> external_calls(
      std::span<const SymbolIndex> function) const;
  // Those from the code of these ranges.
  [[nodiscard]] virtual std::vector<ExternalCall> external_calls_at(
      std::span<const AddressRange> ranges) const;
  // Of code of another module, by its number in StackSamples, with what it called; 0 if it was
  // never seen.
  [[nodiscard]] virtual Ticks external_total(std::uint32_t module) const;
  // All arcs, ascending by caller and callee; none of a function to itself.
  [[nodiscard]] std::span<const MeasuredArc> arcs() const { return arcs_; }
  // 0 if it was never seen.
  [[nodiscard]] Ticks arc(SymbolIndex caller, SymbolIndex callee) const;
  // The arcs to a function, or from it, that has several symbols: most time first, without those
  // between its symbols. The end in the function is its first symbol.
  [[nodiscard]] std::vector<MeasuredArc> callers(std::span<const SymbolIndex> function) const;
  [[nodiscard]] std::vector<MeasuredArc> callees(std::span<const SymbolIndex> function) const;

  // Of samples that were in the code of these ranges or under calls from there.
  [[nodiscard]] virtual Ticks at(std::span<const AddressRange> ranges) const;
  // Of samples under calls from these ranges to the callee.
  [[nodiscard]] virtual Ticks calls_at(std::span<const AddressRange> ranges,
                                       SymbolIndex callee) const;
  // The functions that were called from these ranges, ascending; empty if that is not known.
  [[nodiscard]] virtual std::vector<SymbolIndex> callees_at(
      std::span<const AddressRange> ranges) const;
  // Where the caller was seen calling the callee: the last bytes of call instructions, ascending;
  // empty if that is not known.
  [[nodiscard]] virtual std::vector<Address> places_of(SymbolIndex caller,
                                                       SymbolIndex callee) const;

 protected:
  // What an arc took.
  struct ArcTime {
    Ticks ticks = 0;
    Ticks self = 0;
  };
  using Neighbours = std::map<SymbolIndex, ArcTime>;

  std::vector<Ticks> totals_;  // by symbol
  std::vector<MeasuredArc> arcs_;

 private:
  // Of other than one symbol.
  [[nodiscard]] virtual Ticks total_of_parts(std::span<const SymbolIndex> function) const;
  // What the arcs took by their other ends, without those between the function's symbols.
  [[nodiscard]] virtual Neighbours neighbours(std::span<const SymbolIndex> function,
                                              bool want_callers) const;
  [[nodiscard]] std::vector<MeasuredArc> sorted_neighbours(std::span<const SymbolIndex> function,
                                                           bool want_callers) const;
};

// Which functions, arcs and places are on which stacks, whatever the stacks' counts.
struct StackIndex {
  // A frame in the module's own code.
  struct Frame {
    Address place;
    std::uint32_t stack = 0;
    std::uint32_t position = 0;  // on the stack, innermost first
  };
  struct Arc {
    SymbolIndex caller = no_symbol;
    SymbolIndex callee = no_symbol;
    std::size_t end = 0;  // of its stacks, which begin where the arc's before it end
  };
  // A stack with an arc on it.
  struct ArcStack {
    std::uint32_t stack : 31;
    std::uint32_t self : 1;  // its sample is in the callee's own code
  };

  StackIndex(const StackSamples& stacks, std::size_t symbol_count);

  std::vector<Frame> frames;             // by place
  std::vector<std::uint32_t> of_symbol;  // stacks with the symbol, once each
  std::vector<std::uint32_t> first;      // a symbol's first in of_symbol; one extra at the end
  std::vector<Arc> arcs;                 // by caller and callee
  std::vector<ArcStack> arc_stacks;      // each once an arc
};

// From sampled stacks that are complete(), which must outlive it.
class StackTimes : public MeasuredTimes {
 public:
  // `like` is null, or of the same stacks under the same numbers, with other counts.
  StackTimes(const StackSamples& stacks, std::size_t symbol_count,
             const StackTimes* like = nullptr);

  [[nodiscard]] bool known() const override { return true; }
  [[nodiscard]] bool has_stacks() const override { return true; }
  [[nodiscard]] const StackTimes* of_stacks() const override { return this; }
  [[nodiscard]] Ticks whole() const override { return stacks_.total(); }
  [[nodiscard]] Ticks unseen(std::span<const SymbolIndex> function) const override;
  [[nodiscard]] Ticks external_below(std::span<const SymbolIndex> function) const override;
  [[nodiscard]] std::vector<ExternalCall> external_calls(
      std::span<const SymbolIndex> function) const override;
  [[nodiscard]] std::vector<ExternalCall> external_calls_at(
      std::span<const AddressRange> ranges) const override;
  [[nodiscard]] Ticks external_total(std::uint32_t module) const override {
    return module < external_totals_.size() ? external_totals_[module] : 0;
  }
  [[nodiscard]] Ticks at(std::span<const AddressRange> ranges) const override;
  [[nodiscard]] Ticks calls_at(std::span<const AddressRange> ranges,
                               SymbolIndex callee) const override;
  [[nodiscard]] std::vector<SymbolIndex> callees_at(
      std::span<const AddressRange> ranges) const override;
  [[nodiscard]] std::vector<Address> places_of(SymbolIndex caller,
                                               SymbolIndex callee) const override;

 private:
  [[nodiscard]] Ticks total_of_parts(std::span<const SymbolIndex> function) const override;
  [[nodiscard]] Neighbours neighbours(std::span<const SymbolIndex> function,
                                      bool want_callers) const override;
  [[nodiscard]] SymbolIndex called_by(const StackIndex::Frame& frame) const;
  void add_totals(std::size_t symbol_count);
  void add_external_totals();
  void add_arcs();
  [[nodiscard]] Ticks count_once(std::vector<std::uint32_t> stacks) const;
  [[nodiscard]] std::span<const StackIndex::Frame> frames_in(AddressRange range) const;
  [[nodiscard]] std::vector<std::uint32_t> stacks_with(std::span<const SymbolIndex> function) const;

  const StackSamples& stacks_;
  std::shared_ptr<const StackIndex> index_;  // never null
  std::vector<Ticks> external_totals_;       // by number in StackSamples
  std::vector<Ticks> of_incomplete_;         // of the totals, on stacks that miss frames
  Ticks incomplete_ = 0;                     // of all stacks that miss frames
};

// From what was counted of calls, with all that they called: exact figures. `costs` must outlive
// it.
class CountedTimes : public MeasuredTimes {
 public:
  // `stacks` has the numbers of other modules' code.
  CountedTimes(const InclusiveCosts& costs, const StackSamples& stacks, std::size_t symbol_count);

  [[nodiscard]] bool known() const override { return true; }
  [[nodiscard]] const CountedTimes* counted() const override { return this; }
  [[nodiscard]] Ticks whole() const override { return whole_; }
  [[nodiscard]] Ticks external_below(std::span<const SymbolIndex> function) const override;
  // Without calls of unnamed code, which external_below() includes.
  [[nodiscard]] std::vector<ExternalCall> external_calls(
      std::span<const SymbolIndex> function) const override;
  [[nodiscard]] std::vector<ExternalCall> external_calls_at(
      std::span<const AddressRange> ranges) const override;
  [[nodiscard]] Ticks external_total(std::uint32_t module) const override {
    const auto found = external_costs_.find(module);
    return found == external_costs_.end() ? 0 : found->second.total;
  }
  [[nodiscard]] Ticks at(std::span<const AddressRange> ranges) const override;
  [[nodiscard]] Ticks calls_at(std::span<const AddressRange> ranges,
                               SymbolIndex callee) const override;
  // By place.
  [[nodiscard]] std::span<const InclusiveCall> calls() const { return calls_; }
  // In code of other modules without a name.
  [[nodiscard]] Ticks unnamed_external() const { return costs_.unnamed_external(); }
  // By number in StackSamples.
  [[nodiscard]] const std::map<std::uint32_t, ExternalCost>& external_costs() const {
    return external_costs_;
  }
  // The number in StackSamples of what a call called; none if it is in the own module, or unknown.
  [[nodiscard]] std::optional<std::uint32_t> external_code(const InclusiveCall& call) const;

 private:
  [[nodiscard]] Ticks total_of_parts(std::span<const SymbolIndex> function) const override;
  [[nodiscard]] Neighbours neighbours(std::span<const SymbolIndex> function,
                                      bool want_callers) const override;
  void add_arcs();
  void add_external_costs(const StackSamples& stacks);
  [[nodiscard]] std::span<const InclusiveCall> calls_in(AddressRange range) const;

  const InclusiveCosts& costs_;
  Ticks whole_ = 0;
  std::vector<InclusiveCall> calls_;             // by place
  std::map<SymbolIndex, Ticks> external_calls_;  // of other modules, by caller
  // By index in InclusiveCosts::functions; none: StackSamples do not have it.
  std::vector<std::optional<std::uint32_t>> external_numbers_;
  std::map<std::uint32_t, ExternalCost> external_costs_;  // by number in StackSamples
};

// Whether measured_times() of them will be known().
[[nodiscard]] bool can_be_measured(const StackSamples& stacks, const InclusiveCosts& costs);

// What is known of them, the counted costs first. Never null. `like` is null, or of stacks that
// `stacks` are recounted from.
[[nodiscard]] std::unique_ptr<const MeasuredTimes> measured_times(
    const StackSamples& stacks, const InclusiveCosts& costs, std::size_t symbol_count,
    const MeasuredTimes* like = nullptr);

}  // namespace gprof
