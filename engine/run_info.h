// How a profile was collected, from the sidecars next to its gmon files: what counting a call cost,
// what was lost, how long it ran, where it crashed, and which functions passed calls on.
//
// A sidecar is used only if it has the same calls as its gmon file: another collector may have
// written a new gmon file next to an old sidecar.
//
// Units: seconds. Ownership: owns its data. Thread contract: immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/analysis/function_costs.h"
#include "engine/crash.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/symbol_table.h"
#include "engine/run_time.h"
#include "engine/support/expected.h"
#include "engine/support/snapshot_file.h"

namespace gprof {

// The sidecar of a gmon file; none if there is none or, with a warning, if it belongs to another
// run or is damaged.
[[nodiscard]] std::optional<Sidecar> sidecar_of(const std::string& profile_path,
                                                const RawProfile& profile, Warnings& warnings);

// The sidecar's path for a profile.
[[nodiscard]] std::string sidecar_name(const std::string& profile_path);

// Which modules of the sidecar have their calls in the gmon file with that name; the executable if
// no module has such a file.
[[nodiscard]] std::vector<bool> modules_of_file(const Sidecar& sidecar,
                                                const std::string& profile_path);

class RunInfo {
 public:
  // Adds a run whose gmon file is `profile_path`; the symbols belong to `own_modules`. Warns of
  // losses and of rates that were not delivered.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
           const std::string& profile_path, const SymbolTable& symbols, Warnings& warnings);

  // Adds a run without a sidecar.
  void add_unknown() { times_.add_unknown(); }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    RunTimes::exchange(self.times_, stream);
    stream.number(self.picoseconds_);
    stream.number(self.measurements_);
    stream.list(self.crashes_, [&](auto& crash) { Crash::exchange(crash, stream); });
    std::vector<PassedThrough> passed = self.passed();
    stream.list(passed, [&](auto& calls) {
      stream.number(calls.caller);
      stream.number(calls.callee);
      stream.number(calls.from_pc);
      stream.text(calls.function);
    });
    if constexpr (is_reader<Stream>) {
      for (PassedThrough& calls : passed) {
        self.through_[{calls.caller, calls.callee, calls.from_pc}] = std::move(calls.function);
      }
    }
  }

  // How long the runs took; none if unknown for any of them.
  [[nodiscard]] std::optional<RunTime> run_time() const { return times_.sum(); }
  // The measured cost of counting one call; the mean over the runs. None if none measured it.
  [[nodiscard]] std::optional<Seconds> price_per_call() const;
  // In the order of the runs.
  [[nodiscard]] const std::vector<Crash>& crashes() const { return crashes_; }
  // The function through which calls from one symbol to the other passed uninstrumented code, such
  // as qsort for a comparator.
  struct Through {
    std::string_view function;  // empty if there is none, or more than one
    bool partly = false;        // other calls between the two were direct
  };
  [[nodiscard]] Through passed_through(SymbolIndex caller, SymbolIndex callee) const;
  // The same for the calls with these return addresses; empty if only some of them passed through.
  [[nodiscard]] std::string_view passed_through(SymbolIndex caller, SymbolIndex callee,
                                                std::span<const Address> from_pcs) const;

 private:
  struct PassedThrough {
    SymbolIndex caller = no_symbol;
    SymbolIndex callee = no_symbol;
    Address from_pc{};
    std::string function = {};
  };
  [[nodiscard]] std::vector<PassedThrough> passed() const;
  void add_names(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                 const SymbolTable& symbols);

  RunTimes times_;
  double picoseconds_ = 0;  // of all runs that measured it
  std::uint64_t measurements_ = 0;
  std::vector<Crash> crashes_;
  // By caller, callee and return address, of pairs that have such calls. Empty: the call was
  // direct, or passed through several functions.
  std::map<std::tuple<SymbolIndex, SymbolIndex, Address>, std::string> through_;
};

}  // namespace gprof
