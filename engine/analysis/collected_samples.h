// What the sidecars say about a profile's samples: how accurate times are, and which samples were
// taken outside the program's own code, by function where one is known, else by module. With those,
// all samples of all runs are accounted for.
//
// Units: ticks. Ownership: owns its data. Thread contract: a value type.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/external_functions.h"
#include "engine/analysis/kernel_samples.h"
#include "engine/analysis/sample_errors.h"
#include "engine/gmon/sidecar.h"
#include "engine/support/units.h"

namespace gprof {

// Of a function of another module, or of all its code of which no function is known.
struct ModuleSamples {
  std::string name;      // the file's, without directory; empty if no module is known
  std::string function;  // linkage name; empty if it is not known
  Ticks ticks = 0;
  bool collector = false;  // the collector's own code: not part of the program's time
};

// The name of a module as shown.
[[nodiscard]] std::string_view file_name_of(std::string_view path);

class CollectedSamples {
 public:
  // Adds a run whose gmon file, which covers `own_modules`, holds `in_file` samples.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules, Ticks in_file,
           const ExternalFunctions& functions = {});
  // Adds a run without a sidecar. `elsewhere`: what its tool counted in other modules.
  void add(Ticks in_file, std::span<const ModuleSamples> elsewhere = {});

  [[nodiscard]] const SampleErrors& errors() const { return errors_; }
  // The samples of all runs per function or module, most first.
  [[nodiscard]] std::span<const ModuleSamples> elsewhere() const { return elsewhere_; }
  [[nodiscard]] const KernelSamples& kernel() const { return kernel_; }

 private:
  // Returns whether it is in other code.
  bool add_place(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                 const ModuleAddress& place, Ticks ticks, const ExternalFunctions& functions);
  void add_module(std::string_view name, std::string_view function, Ticks ticks);
  void sort_elsewhere();

  SampleErrors errors_;
  KernelSamples kernel_;
  std::vector<ModuleSamples> elsewhere_;
  // By module and function: the place in elsewhere_.
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace gprof
