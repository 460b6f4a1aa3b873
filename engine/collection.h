// How a profile was collected, from the sidecars that lie beside its gmon files: what counting a
// call cost, what was lost, how long it ran, and which functions passed calls on.
//
// A sidecar is taken only where it tells of the very calls that its gmon file holds: another
// collector may have written a new gmon file beside an old sidecar.
//
// Units: seconds. Ownership: owns what it holds. Thread contract: immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/symbol_table.h"
#include "engine/profile/profile.h"
#include "engine/run_time.h"
#include "engine/support/expected.h"

namespace gprof {

// The sidecar of a gmon file; none where there is none, or where it belongs to another run or is
// damaged, which are warnings.
[[nodiscard]] std::optional<Sidecar> sidecar_of(const std::string& profile_path,
                                                const RawProfile& profile, Warnings& warnings);

// Where it lies beside the profile.
[[nodiscard]] std::string sidecar_name(const std::string& profile_path);

// Which modules of the sidecar have their calls in the gmon file of that name; the executable where
// none has a file of that name.
[[nodiscard]] std::vector<bool> modules_of_file(const Sidecar& sidecar,
                                                const std::string& profile_path);

class Collection {
 public:
  // Adds a run whose gmon file is `profile_path`; `own_modules` are those that the symbols are of.
  // Losses, and rates that were not delivered, become warnings.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
           const std::string& profile_path, const SymbolTable& symbols, Warnings& warnings);

  // Adds a run without a sidecar.
  void add_unknown() { times_.add_unknown(); }

  // How long the runs took; none where one of them does not tell.
  [[nodiscard]] std::optional<RunTime> run_time() const { return times_.sum(); }
  // The measured cost of counting one call; the mean of the runs. None where none measured it.
  [[nodiscard]] std::optional<Seconds> price_per_call() const;
  // The function by which calls from one symbol to the other passed through code that is not
  // profiled, as a comparator through qsort; empty where they did not, or by more than one.
  [[nodiscard]] std::string_view passed_through(SymbolIndex caller, SymbolIndex callee) const;

 private:
  void add_names(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                 const SymbolTable& symbols);

  RunTimes times_;
  double picoseconds_ = 0;  // of all runs that measured
  std::uint64_t measurements_ = 0;
  std::map<std::pair<SymbolIndex, SymbolIndex>, std::string> through_;  // empty: more than one
};

}  // namespace gprof
