// Walks the stacks that perf copied (`--call-graph dwarf`), by the call frame information of the
// programs and libraries.
//
// Ownership: borrows what it is made of; keeps the call frame information of the files that it came
// across. Thread contract: one thread. Errors: none; a walk ends where no rule or no memory is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/import/chain_ends.h"
#include "engine/import/perf_data/perf_attr.h"
#include "engine/import/perf_data/perf_modules.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/import/perf_data/perf_sample.h"
#include "engine/object/image.h"

namespace gprof::perf_data {

class PerfUnwinder {
 public:
  // `order`: of the recording.
  PerfUnwinder(const PerfProcesses& processes, PerfModules& modules, const Image& program,
               ByteOrder order);
  ~PerfUnwinder();
  PerfUnwinder(const PerfUnwinder&) = delete;
  PerfUnwinder& operator=(const PerfUnwinder&) = delete;

  // Appends the frames of the program, the innermost first. Returns where they end, as far as rules
  // and the size of the copy tell.
  ChainEnd walk(const PerfSampleRecord& sample, const PerfAttr& attr,
                std::vector<RecordedFrame>& frames);

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace gprof::perf_data
