// Two sides compared, function by function: what got slower, what faster, and what is noise.
//
// Functions are matched as function_matches.h says, times compared as time_change.h says. The
// verdicts of one metric are a family of tests of their own: with the level family_level the
// probability that any function of two sides of one build is called regressed or improved is at
// most that.
//
// Totals are measured where every run of both sides has stacks, else gprof's estimate on both.
// Counts of calls are exact: they differ or they do not; where the runs of a side differ among
// themselves, they depend on the run and say nothing of the build.
//
// Ranking: first the significant regressions, the one that costs most seconds first (whether it is
// real is settled; what it costs is what matters), then significant new functions, improvements,
// gone functions, and last what is noise, by how far beyond its error it lies; behind all, what has
// too few samples to be tested.
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
#include "engine/comparison/time_change.h"

namespace gprof {

// Of naming even one function of a metric wrongly.
inline constexpr double family_level = 0.01;

enum class ComparisonMetric : std::uint8_t { self, total, calls };

enum class Verdict : std::uint8_t {
  regressed,
  improved,
  noise,     // no difference that its error could not make
  appeared,  // the older build has no such function
  gone,      // the newer one has none
};

enum class CallsVerdict : std::uint8_t {
  unknown,  // a side counts no calls
  same,
  more,
  fewer,
  run_dependent,
};

// Of the runs of one side.
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
  CallsChange calls;  // recursive ones included

  [[nodiscard]] const TimeChange& time(ComparisonMetric metric) const {
    return metric == ComparisonMetric::total ? total : self;
  }
};

[[nodiscard]] Verdict verdict_of(const ComparedFunction& function, const TimeChange& change);

class Comparison {
 public:
  // Fails with mismatch where the sides do not count in the same unit, and with no_profile_data
  // where neither times nor calls are on both.
  static Expected<Comparison> make(const ComparedSide& before, const ComparedSide& after);

  // Those with a figure on either side.
  [[nodiscard]] const std::vector<ComparedFunction>& functions() const { return functions_; }
  // Indices into functions().
  [[nodiscard]] std::vector<std::size_t> ranked(ComparisonMetric metric) const;
  // Null where it has no figure.
  [[nodiscard]] const ComparedFunction* find_after(SymbolIndex symbol) const;
  [[nodiscard]] std::string_view name(const ComparedFunction& function) const;
  // Of several functions together (instances of one definition, by symbols of the newer build):
  // significant only where one of them is and the whole differs by three of its errors. None where
  // none of them is compared.
  [[nodiscard]] std::optional<ComparedFunction> together(
      std::span<const SymbolIndex> after_symbols) const;

  // The whole program's time. Its drift is the one that all functions have in common.
  [[nodiscard]] const TimeChange& program() const { return program_change_; }
  // What all functions have in common, by their self times.
  [[nodiscard]] const Drift& drift() const { return drift_; }
  [[nodiscard]] bool has_times() const { return has_times_; }
  [[nodiscard]] bool has_calls() const { return has_calls_; }
  [[nodiscard]] bool totals_measured() const { return totals_measured_; }
  // Both sides counted their costs: only runs that differ make an error.
  [[nodiscard]] bool exact() const { return exact_; }
  // With one run on a side nobody knows how runs differ.
  [[nodiscard]] bool variance_known() const { return runs_before_ > 1 && runs_after_ > 1; }
  [[nodiscard]] std::size_t runs_before() const { return runs_before_; }
  [[nodiscard]] std::size_t runs_after() const { return runs_after_; }
  [[nodiscard]] const Program& program_before() const { return *program_before_; }
  [[nodiscard]] const Program& program_after() const { return *program_after_; }
  [[nodiscard]] char dimension_abbreviation() const { return abbreviation_; }
  // Ticks a second of the coarser side: no figure has more digits.
  [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }

 private:
  Comparison() = default;
  void compare_functions(const ComparedSide& before, const ComparedSide& after);
  void compare_times(const ComparedSide& before, const ComparedSide& after,
                     ComparisonMetric metric);
  void compare_program(const ComparedSide& before, const ComparedSide& after);
  [[nodiscard]] bool goes_before(ComparisonMetric metric, const ComparedFunction& a,
                                 const ComparedFunction& b) const;

  std::vector<ComparedFunction> functions_;
  std::unordered_map<SymbolIndex, std::size_t> by_after_;
  TimeChange program_change_;
  Drift drift_;
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
