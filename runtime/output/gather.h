// The contents of the live tables, summed over threads and tables, with addresses resolved to
// modules.
//
// Ownership: owns its anonymous memory; texts belong to the module records. Thread contract: one
// thread at a time, while others go on counting: each count is that of some moment during the
// gathering.
#pragma once

#include <cstdint>

#include "formats/sidecar.h"
#include "runtime/output/anonymous_array.h"
#include "runtime/output/module_table.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct BlockCount {
  std::uint32_t module;
  std::uint64_t address;  // link-time, of the block's call to the collector
  std::uint64_t count;
};

// A call stack: `depth` frames of Gathered::frames, starting at `first`.
struct GatheredStack {
  std::uint64_t first;
  std::uint32_t depth;
  std::uint32_t truncated;
  std::uint64_t count;
  std::uint64_t rank;  // in the order by frames; breaks ties between equal counts
};

struct Totals {
  std::uint64_t calls;
  std::uint64_t samples;
  std::uint64_t signals;
  std::uint64_t cpu_time;
};

struct Gathered {
  ModuleTable modules;
  AnonymousArray<ArcEntry> arcs;         // in the sidecar's order; via_name is left empty
  AnonymousArray<SamplePlace> samples;   // in the sidecar's order
  AnonymousArray<GatheredStack> stacks;  // in the sidecar's order
  AnonymousArray<StackFrame> frames;
  AnonymousArray<ThreadEntry> threads;  // in the sidecar's order
  AnonymousArray<BlockCount> blocks;    // ascending by module and address
  Totals totals = {};

  [[nodiscard]] bool complete() const {
    return modules.complete() && arcs.complete() && samples.complete() && stacks.complete() &&
           frames.complete() && threads.complete() && blocks.complete();
  }
};

// False if memory ran out or the executable is not known.
bool gather(Gathered& into);

// The parts of gather(). Precondition: `modules` is collected.
bool gather_calls(Gathered& into);  // arcs, threads; all totals except samples
bool gather_samples(Gathered& into);
bool gather_stacks(Gathered& into);
bool gather_blocks(Gathered& into);

}  // namespace gprof_runtime
