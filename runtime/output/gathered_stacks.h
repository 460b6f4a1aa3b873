// Stacks that were read from several tables, as equal ones are joined.
//
// Thread contract: functions of their arguments.
#pragma once

#include <cstdint>

#include "runtime/output/gather.h"

namespace gprof_runtime {

inline constexpr std::uint32_t no_stack = 0xffffffff;

// Joins equal stacks, adding up their counts, and puts those with the highest ones first. For each,
// `places[first_read]` becomes its place then. False if memory ran out.
bool join_equal_stacks(const AnonymousArray<StackFrame>& frames,
                       AnonymousArray<GatheredStack>& stacks,
                       AnonymousArray<std::uint32_t>& places);

// The collector's own module; no_module if nobody's stack leads through it.
std::uint32_t own_module(const ModuleTable& modules);
// Without the frames of the collector, which begins threads and ends the process.
GatheredStack without_own_frames(Gathered& into, GatheredStack stack, std::uint32_t own);

// Which of read.stacks, which add_up_stacks() has put in order, has the number in the slot;
// no_stack if none has.
std::uint32_t place_of_stack(const ReadCounts& read, std::uint32_t slot, std::uint32_t number);

}  // namespace gprof_runtime
