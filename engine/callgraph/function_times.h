// Functions' total times, their errors, and whether they were measured or are gprof's estimates.
//
// Errors. Those of samples are SampleErrors'. A measured total is a number of samples. If stacks
// have missing frames, a function that calls others may be one of them: the samples of those stacks
// that do not show it are added to its error. An estimated total is a sum of self times, each times
// the fraction (at most 1) by which it is propagated; the error of one callee's part is its total's
// error times the arc's fraction, and because callees may share what they call, such errors are
// added, not their squares. The error of as many samples as the total has is an upper bound, since
// no fraction exceeds 1.
//
// Units: ticks. Ownership: borrows graph and measured times. Thread contract: const members from
// any thread. Cost: an estimated error visits everything the function reaches, once each.
#pragma once

#include <cmath>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/analysis/sample_errors.h"
#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/measured_times.h"

namespace gprof {

struct FunctionTime {
  Ticks self = 0;
  Ticks children = 0;
  Ticks error = 0;  // one standard deviation of the total
  bool measured = false;

  [[nodiscard]] Ticks total() const { return self + children; }
};

struct ArcTime {
  Ticks ticks = 0;
  Ticks error = 0;
};

class FunctionTimes {
 public:
  // `graph` is with(measured) if anything was measured.
  FunctionTimes(const CallGraph& graph, const MeasuredTimes& measured, const SampleErrors& errors)
      : graph_(graph),
        measured_(measured),
        sample_errors_(measured.known() ? errors.of_all_code() : errors) {}

  // For symbols that are one function (its clones and parts, the instances of a template),
  // ascending: what they propagate to each other counts once.
  [[nodiscard]] FunctionTime of(std::span<const SymbolIndex> function) const;
  [[nodiscard]] ArcTime of(const GraphArc& arc) const;

  // The estimated errors, to or from a stored index.
  template <typename Stream>
  void store(Stream& stream) const {
    estimate_all_errors();
    const std::lock_guard lock(mutex_);
    stream.array(errors_);
  }
  template <typename Stream>
  void restore(Stream& stream) {
    stream.array(errors_);
  }
  // Whether restore() read the errors of that many symbols, all known.
  [[nodiscard]] bool is_sound(std::size_t symbols) const {
    return errors_.size() == symbols && holds_for_all(symbols, [this](std::size_t i) {
             return std::isfinite(errors_[i]) && errors_[i] >= 0;
           });
  }

 private:
  [[nodiscard]] Ticks error_of(Ticks samples) const { return sample_errors_.error_of(samples); }
  [[nodiscard]] bool may_be_left_out(std::span<const SymbolIndex> function) const;
  void estimate_all_errors() const;
  [[nodiscard]] Ticks error_of_total(SymbolIndex symbol) const;
  // These require the lock.
  void estimate_error(SymbolIndex symbol) const;
  // The error of a function from its callees'; none if one of them is unknown, which is then
  // appended to `way`.
  [[nodiscard]] std::optional<Ticks> error_by_callees(SymbolIndex symbol,
                                                      std::vector<SymbolIndex>& way) const;

  const CallGraph& graph_;
  const MeasuredTimes& measured_;
  const SampleErrors sample_errors_;
  mutable std::mutex mutex_;         // guards the members below
  mutable FlatArray<Ticks> errors_;  // of estimated totals, by symbol; -1: unknown
};

}  // namespace gprof
