// One side of a comparison: the figures of several runs of one build, without snapshots.
//
// Figures are of functions as in the source: a clone's are its function's, and a call of a
// split-off part of the function's own body is not a call of it.
//
// Units: ticks, and each run's own ticks per second. Ownership: shares the program, owns the
// figures; a function without figures takes no memory. Thread contract: read_side() any thread;
// immutable once filled. Errors: those of analyse(); mismatch if runs count in different units.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "engine/analysis/stack_samples.h"
#include "engine/selection.h"
#include "engine/support/expected.h"

namespace gprof {

// One run's figures for a function.
struct FunctionRun {
  Ticks self = 0;
  Ticks estimated_total = 0;  // gprof's propagation
  Ticks measured_total = 0;   // from stacks; 0 if the run has none
  std::uint64_t calls = 0;    // from other functions
  std::uint64_t recursive_calls = 0;
};

// Its figures for the whole program.
struct ProgramRun {
  std::string path;  // the first one if several files are one run
  double ticks_per_second = 0;
  Ticks ticks = 0;
  bool has_samples = false;
  bool has_calls = false;
  bool measured = false;  // it has totals from stacks
  SampleErrors errors;
};

class ComparedSide {
 public:
  explicit ComparedSide(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  // Adds a run of the program.
  [[nodiscard]] Expected<void> add(const Snapshot& run);

  [[nodiscard]] const std::shared_ptr<const Program>& program() const { return program_; }
  [[nodiscard]] const std::vector<ProgramRun>& runs() const { return runs_; }
  // Functions with a figure in any run, one entry per run each.
  [[nodiscard]] const std::map<SymbolIndex, std::vector<FunctionRun>>& functions() const {
    return functions_;
  }
  // The samples in code of libraries, by function where it is known; one entry per run each.
  [[nodiscard]] const std::map<ExternalCode, std::vector<Ticks>>& externals() const {
    return externals_;
  }
  [[nodiscard]] bool measured() const;
  [[nodiscard]] bool has_samples() const;
  // Whether all runs counted their costs: they have no sampling error.
  [[nodiscard]] bool exact() const;
  [[nodiscard]] bool has_calls() const;
  [[nodiscard]] const std::string& dimension() const { return dimension_; }
  [[nodiscard]] char dimension_abbreviation() const { return abbreviation_; }

 private:
  FunctionRun& figures(SymbolIndex symbol, std::size_t run);
  void add_externals(const FunctionCosts& profile);

  std::shared_ptr<const Program> program_;
  std::vector<ProgramRun> runs_;
  std::map<SymbolIndex, std::vector<FunctionRun>> functions_;
  std::map<ExternalCode, std::vector<Ticks>> externals_;
  std::string dimension_;
  char abbreviation_ = 's';
};

// Called with each run's snapshot.
using EachRun = std::function<void(const std::shared_ptr<const Snapshot>& run)>;

// Which part of each run is compared; see view_of().
struct ComparedPart {
  std::string cost;
  Selection selection;
};

// Reads one side, each profile as a separate run. `request` gives the executable, the profiles and
// the settings; adds the runs' warnings to `warnings`, once each. Errors also: those of view_of(),
// which name the run.
[[nodiscard]] Expected<ComparedSide> read_side(const AnalysisRequest& request, Warnings& warnings,
                                               const EachRun& each_run = {},
                                               const ComparedPart& part = {});

}  // namespace gprof
