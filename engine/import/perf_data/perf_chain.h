// The frames of a sample: from its call chain, its branch stack, or its address alone.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/gmon/sidecar.h"
#include "engine/import/perf_data/perf_modules.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/import/perf_data/perf_sample.h"
#include "engine/import/perf_event.h"
#include "engine/object/symbol_table.h"

namespace gprof::perf_data {

class PerfUnwinder;

class PerfChains {
 public:
  // `unwinder`: null if stacks that were copied are not walked.
  PerfChains(const PerfProcesses& processes, PerfModules& modules, const SymbolTable& symbols,
             PerfUnwinder* unwinder)
      : processes_(processes), modules_(modules), symbols_(symbols), unwinder_(unwinder) {}

  // Sets the sample's frames, and whether they are a call chain and a complete one.
  void take(const PerfSampleRecord& record, std::uint16_t mode, const PerfAttr& attr,
            PerfEvent::Sample& sample);

 private:
  enum class Part : std::uint8_t { user, kernel, guest };

  [[nodiscard]] static Part part_of(std::uint16_t mode);
  void add(std::uint64_t address, Part part, const PerfSampleRecord& record);
  void add_chain(const PerfSampleRecord& record, Part part, bool with_user);
  void add_branches(const PerfSampleRecord& record);
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] bool is_outermost(const ModuleAddress& frame) const;
  void drop_garbage();

  const PerfProcesses& processes_;
  PerfModules& modules_;
  const SymbolTable& symbols_;
  PerfUnwinder* unwinder_;
  std::vector<ModuleAddress> frames_;
};

}  // namespace gprof::perf_data
