// The contents of the live tables, summed over tables, with addresses resolved to modules: what
// there is in all, and which parts of it each thread has in each slice of time.
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
  std::uint64_t rank;           // in the order by frames; breaks ties between equal counts
  std::uint32_t first_read;     // among the stacks as they were read
  std::uint32_t inferred_from;  // the frame with the mark frame_inferred; 0: none
};

struct GatheredThread {
  ThreadEntry entry;  // its name is left empty
  std::uint32_t number;
  std::uint32_t slot;
  char name[thread_name_size];
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
  AnonymousArray<GatheredThread> threads;  // in the sidecar's order
  AnonymousArray<BlockCount> blocks;       // ascending by module and address
  // In the sidecar's order.
  AnonymousArray<PartEntry> arc_parts;
  AnonymousArray<PartEntry> sample_parts;
  AnonymousArray<PartEntry> stack_parts;
  // Waits, in the sidecar's order; instead of its name, `function` is the function's number.
  AnonymousArray<GatheredStack> wait_stacks;
  AnonymousArray<WaitEntry> waits;
  AnonymousArray<PartEntry> wait_parts;
  AnonymousArray<HolderEntry> holders;
  GatheredStack crash_stack = {};  // of the header's CrashNote; its depth is 0 if there is none
  std::uint64_t slice_width = 0;
  std::uint32_t slices_used = 0;  // up to the last one that a part is in
  Totals totals = {};

  [[nodiscard]] bool complete() const {
    return modules.complete() && arcs.complete() && samples.complete() && stacks.complete() &&
           frames.complete() && threads.complete() && blocks.complete() && arc_parts.complete() &&
           sample_parts.complete() && stack_parts.complete() && wait_stacks.complete() &&
           waits.complete() && wait_parts.complete() && holders.complete();
  }
};

// What was read of the tables, before threads are known and equal entries are added up.

struct ReadArc {
  ArcEntry arc;
  std::uint32_t slot;    // of the table that counted it, and
  std::uint32_t thread;  // then the place of the slot's only thread, or no_thread
};

struct ReadSample {
  SamplePlace place;
  std::uint32_t thread;  // ThreadRecord::number, and then its place
  std::uint32_t slice;
};

struct ReadStackCount {
  std::uint32_t slot;
  std::uint32_t stack;  // StackRecord::number, and then which of the stacks that were read
  std::uint32_t thread;
  std::uint32_t slice;
  std::uint64_t count;
};

struct ReadStack {
  std::uint32_t slot;
  std::uint32_t number;
  GatheredStack stack;
};

struct ReadWait {
  std::uint32_t slot;
  WaitCount wait;  // its stack is then the place of the wait stack, its thread the thread's
};

struct ReadHolder {
  std::uint32_t slot;
  HolderCount holder;  // its stacks are then the places of wait stacks
};

struct ReadCounts {
  AnonymousArray<ReadArc> arcs;
  AnonymousArray<ReadSample> samples;
  AnonymousArray<ReadStackCount> stack_counts;
  AnonymousArray<ReadStack> stacks;
  AnonymousArray<ReadWait> waits;
  AnonymousArray<ReadHolder> holders;

  [[nodiscard]] bool complete() const {
    return arcs.complete() && samples.complete() && stack_counts.complete() && stacks.complete() &&
           waits.complete() && holders.complete();
  }
};

// False if memory ran out or the executable is not known.
bool gather(Gathered& into);

// The parts of gather(). Precondition: `modules` is collected. Slices become those of
// into.slice_width. False if memory ran out.
bool read_arcs(ModuleTable& modules, ReadCounts& read);
bool read_samples(Gathered& into, ReadCounts& read);
bool read_waits(Gathered& into, ReadCounts& read);
bool read_stacks(Gathered& into, ReadCounts& read);  // and into.frames
bool gather_blocks(Gathered& into);
// After what the threads count was read: the totals of signals and CPU time, too.
bool gather_threads(Gathered& into, const ReadCounts& read);
// After the threads: what was read, added up, with its parts and totals.
bool add_up_arcs(Gathered& into, ReadCounts& read);
bool add_up_samples(Gathered& into, ReadCounts& read);
bool add_up_stacks(Gathered& into, ReadCounts& read);
bool find_crash_stack(Gathered& into, const ReadCounts& read);  // after the stacks
bool add_up_waits(Gathered& into, ReadCounts& read);            // after that

// The place of the thread with this ThreadRecord::number among the gathered; no_thread if it is not
// there.
std::uint32_t place_of_thread(const Gathered& gathered, std::uint32_t number);

// Remembers that a part is in the slice.
inline void note_slice(Gathered& into, std::uint32_t slice) {
  if (slice != no_slice && slice >= into.slices_used) into.slices_used = slice + 1;
}

}  // namespace gprof_runtime
