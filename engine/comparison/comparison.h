// Two sides compared by function: what got slower, what faster, and what is noise.
//
// Functions are matched as in function_matches.h, times compared as in time_change.h. The verdicts
// of each metric form a family of tests: family_level bounds the probability that any function is
// called regressed or improved if both sides are the same build.
//
// Totals are measured if every run of both sides has stacks; otherwise both use gprof's estimate.
// What the runs have in common (their speeds, the drift) is estimated from self times for all
// metrics, and from those that did not change: the totals of callers have the same samples as their
// callee's. Functions of libraries are compared by their self times, under the conditions estimated
// from the program's own functions.
// Call counts are exact: they differ or they do not; if they differ between the runs of a side,
// they depend on the run and say nothing about the build.
//
// Ranking: first the significant regressions, by seconds lost (they are known to be real; what
// matters is the cost), then significant new functions, improvements, functions that are gone, and
// noise, by how far it exceeds its error; last, functions with too few samples to test.
//
// Units: seconds. Ownership: shares both programs. Thread contract: immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/comparison/compared_side.h"
#include "engine/comparison/multiple_test.h"
#include "engine/comparison/time_change.h"

namespace gprof {

// The probability of even one wrong verdict per metric.
inline constexpr double family_level = 0.01;

enum class ComparisonMetric : std::uint8_t { self, total, calls };

enum class Verdict : std::uint8_t {
  regressed,
  improved,
  noise,     // no difference beyond its error
  appeared,  // not in the older build
  gone,      // not in the newer build
};

enum class CallsVerdict : std::uint8_t {
  unknown,  // a side does not count calls
  same,
  more,
  fewer,
  run_dependent,
};

// Over the runs of one side.
struct CallRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  double mean = 0;
};

struct CallsChange {
  CallRange before;
  CallRange after;
  CallsVerdict verdict = CallsVerdict::unknown;

  [[nodiscard]] double difference() const { return after.mean - before.mean; }
};

struct ComparedFunction {
  SymbolIndex before = no_symbol;
  SymbolIndex after = no_symbol;
  TimeChange self;
  TimeChange total;
  CallsChange calls;  // including recursive ones

  [[nodiscard]] const TimeChange& time(ComparisonMetric metric) const {
    return metric == ComparisonMetric::total ? total : self;
  }
};

// A function of a library that the program used, or all code of the library of which no function
// is known. Which library a build is linked with is not the build's: none of them is new or gone.
struct ComparedExternal {
  ExternalCode code;
  TimeChange self;
};

[[nodiscard]] Verdict verdict_of(const ComparedFunction& function, const TimeChange& change);
// "regressed", "improved" or "noise": of what both builds have.
[[nodiscard]] Verdict verdict_of(const TimeChange& change);

class Comparison {
 public:
  // Fails with mismatch if the sides do not count in the same unit, and with no_profile_data if
  // neither times nor calls are on both.
  static Expected<Comparison> make(const ComparedSide& before, const ComparedSide& after);

  // Functions with a figure on either side.
  [[nodiscard]] const std::vector<ComparedFunction>& functions() const { return functions_; }
  // Indices into functions().
  [[nodiscard]] std::vector<std::size_t> ranked(ComparisonMetric metric) const;
  // Functions of libraries with a sample on either side, judged together with the self times of
  // functions(); in the order of their names.
  [[nodiscard]] const std::vector<ComparedExternal>& externals() const { return externals_; }
  // Indices into externals(), as functions are ranked.
  [[nodiscard]] std::vector<std::size_t> ranked_externals() const;
  // Null if it has no sample.
  [[nodiscard]] const ComparedExternal* find_external(const ExternalCode& code) const;
  // Null if it has no figure.
  [[nodiscard]] const ComparedFunction* find_after(SymbolIndex symbol) const;
  [[nodiscard]] std::string_view name(const ComparedFunction& function) const;
  // Several functions as one (instances of one definition, by symbols of the newer build): their
  // samples are added up and tested. None if none of them is compared.
  [[nodiscard]] std::optional<ComparedFunction> together(
      std::span<const SymbolIndex> after_symbols) const;

  // The whole program's time.
  [[nodiscard]] const TimeChange& program() const { return program_change_; }
  // What the functions that did not change have in common, judging by self times.
  [[nodiscard]] const Drift& drift() const { return conditions_.drift; }
  // The same for times that belong to one of functions().
  [[nodiscard]] const CommonConditions& conditions() const { return conditions_; }
  // Which of functions() the first of these symbols of the newer build belongs to; none if none of
  // them has a figure.
  [[nodiscard]] std::optional<std::size_t> place_of(
      std::span<const SymbolIndex> after_symbols) const;
  [[nodiscard]] bool has_times() const { return has_times_; }
  [[nodiscard]] bool has_calls() const { return has_calls_; }
  [[nodiscard]] bool totals_measured() const { return totals_measured_; }
  // Whether both sides counted their costs: the only error is from differing runs.
  [[nodiscard]] bool exact() const { return exact_; }
  // With only one run on a side, the spread between runs is unknown.
  [[nodiscard]] bool variance_known() const { return runs_before_ > 1 && runs_after_ > 1; }
  [[nodiscard]] std::size_t runs_before() const { return runs_before_; }
  [[nodiscard]] std::size_t runs_after() const { return runs_after_; }
  [[nodiscard]] const Program& program_before() const { return *program_before_; }
  [[nodiscard]] const Program& program_after() const { return *program_after_; }
  [[nodiscard]] char dimension_abbreviation() const { return abbreviation_; }
  // Ticks per second of the coarser side: no figure is more precise.
  [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }

 private:
  Comparison() = default;
  void compare_functions(const ComparedSide& before, const ComparedSide& after);
  void compare_times(const ComparedSide& before, const ComparedSide& after);
  void set_changes(std::span<const TimeChange> changes, TimeChange ComparedFunction::*metric);
  void compare_externals(const ComparedSide& before, const ComparedSide& after);
  void mark_self_times();
  void compare_program(const ComparedSide& before, const ComparedSide& after);
  // Which of functions() has more than half of the program's time on both sides; no_figure if none.
  [[nodiscard]] std::size_t function_of_most(const FamilySide& before,
                                             const FamilySide& after) const;
  [[nodiscard]] bool goes_before(ComparisonMetric metric, const ComparedFunction& a,
                                 const ComparedFunction& b) const;

  [[nodiscard]] std::optional<std::size_t> place_of(SymbolIndex after_symbol) const;
  // In the order of functions().
  struct ComparedFigures {
    FamilySide before;
    FamilySide after;
  };
  [[nodiscard]] TimeChange change_of_sum(const ComparedFigures& figures,
                                         std::span<const std::size_t> parts) const;

  std::vector<ComparedFunction> functions_;
  std::vector<ComparedExternal> externals_;
  double tested_weight_ = 0;  // of all self times together
  ComparedFigures self_;
  ComparedFigures total_;
  CommonConditions conditions_;
  std::unordered_map<SymbolIndex, std::size_t> by_after_;
  TimeChange program_change_;
  bool has_times_ = false;
  bool has_calls_ = false;
  bool totals_measured_ = false;
  bool exact_ = false;
  std::size_t runs_before_ = 0;
  std::size_t runs_after_ = 0;
  double ticks_per_second_ = 0;
  char abbreviation_ = 's';
  std::shared_ptr<const Program> program_before_;
  std::shared_ptr<const Program> program_after_;
};

}  // namespace gprof
