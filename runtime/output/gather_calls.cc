#include <tuple>

#include <asm/unistd.h>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/live_walk.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

// The sum of a slot's tables, over all threads that had the slot.
struct SlotCalls {
  std::uint32_t slot;
  std::uint64_t count;
};

struct Walk {
  Gathered& into;
  AnonymousArray<SlotCalls> slots;  // one for each chunk; then one for each slot
};

auto key_of(const ArcEntry& arc) {
  return std::tie(arc.from_module, arc.self_module, arc.from, arc.self, arc.profiled_caller_module,
                  arc.flags, arc.profiled_caller, arc.via_module, arc.via);
}

// An arc read from an entry that other threads may be changing.
struct Read {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t count;
};

ArcEntry make_arc(ModuleTable& modules, const CallEntry&, const Read& read, std::uint64_t epoch) {
  const ModuleAddress caller = modules.resolve(read.from, epoch);
  const ModuleAddress callee = modules.resolve(read.self, epoch);
  return {.from_module = caller.module,
          .self_module = callee.module,
          .from = caller.address,
          .self = callee.address,
          .profiled_caller_module = no_module,
          .flags = 0,
          .profiled_caller = 0,
          .via_module = no_module,
          .via_name = 0,
          .via = 0,
          .count = read.count};
}

ArcEntry make_arc(ModuleTable& modules, const ThroughEntry& entry, const Read& read,
                  std::uint64_t epoch) {
  ArcEntry arc = make_arc(modules, CallEntry{}, read, epoch);
  const std::uint32_t flags = arc.from_module != no_module ? modules[arc.from_module].flags : 0;
  if (is_via_uninstrumented(flags)) arc.flags = arc_flags::via;
  if (entry.profiled_caller != 0) {
    const ModuleAddress profiled_caller = modules.resolve(entry.profiled_caller, epoch);
    arc.profiled_caller_module = profiled_caller.module;
    arc.profiled_caller = profiled_caller.address;
  }
  if (entry.via != 0) {
    const ModuleAddress via = modules.resolve(entry.via, epoch);
    arc.via_module = via.module;
    arc.via = via.address;
  }
  return arc;
}

template <typename Entry>
void gather_arcs(Walk& walk, ChunkKind kind, bool retired) {
  ModuleTable& modules = walk.into.modules;
  each_chunk(kind, [&](ChunkHeader* chunk) {
    const Entry* entries = live::entries<Entry>(chunk);
    const std::uint64_t epoch = retired ? epoch_of(chunk, modules.epoch()) : modules.epoch();
    const std::size_t size = entries_in<Entry>(chunk, retired);
    SlotCalls calls = {chunk->slot, 0};
    for (std::size_t i = 0; i < size; ++i) {
      // `self` is written last: values read after it belong to it.
      const std::uint64_t self = read_live(entries[i].self);
      const Read read = {read_live(entries[i].from), self, read_live(entries[i].count)};
      if (!is_counted(read)) continue;
      walk.into.arcs.append(make_arc(modules, entries[i], read, epoch));
      calls.count = saturating_sum(calls.count, read.count);
    }
    if (calls.count != 0) walk.slots.append(calls);
  });
}

std::uint64_t calls_of_slot(const AnonymousArray<SlotCalls>& slots, std::uint32_t slot) {
  const SlotCalls* found = partition_point(
      slots.begin(), slots.end(), [&](const SlotCalls& calls) { return calls.slot < slot; });
  return found != slots.end() && found->slot == slot ? found->count : 0;
}

std::uint64_t own_cpu_time() {
  struct {
    std::int64_t seconds;
    std::int64_t nanoseconds;
  } time = {};
  constexpr long thread_cpu_time_clock = 3;
  if (sys::failed(sys::call(__NR_clock_gettime, thread_cpu_time_clock, sys::word(&time)))) {
    return 0;
  }
  return static_cast<std::uint64_t>(time.seconds) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.nanoseconds);
}

ThreadEntry make_thread(const ThreadRecord& record, const AnonymousArray<SlotCalls>& slots,
                        std::uint32_t own_thread) {
  ThreadEntry thread = {.thread = record.thread,
                        .ended = __atomic_load_n(&record.ended, __ATOMIC_ACQUIRE) != 0 ? 1U : 0U,
                        .calls = read_live(record.calls),
                        .samples = read_live(record.samples),
                        .signals = read_live(record.signals),
                        .cpu_time = read_live(record.cpu_time)};
  if (thread.ended != 0) return thread;
  const std::uint64_t in_tables = calls_of_slot(slots, record.slot);
  const std::uint64_t before = read_live(record.calls_before);
  thread.calls = calls_of_running_thread(in_tables, before);
  if (thread.thread == own_thread) {
    const std::uint64_t now = own_cpu_time();
    const std::uint64_t counted = now > record.cpu_time_before ? now - record.cpu_time_before : 0;
    thread.cpu_time = larger(thread.cpu_time, counted);
  }
  return thread;
}

bool gather_threads(Walk& walk) {
  sort(walk.slots, [](const SlotCalls& a, const SlotCalls& b) { return a.slot < b.slot; });
  sum_neighbours(walk.slots,
                 [](const SlotCalls& a, const SlotCalls& b) { return a.slot == b.slot; });
  AnonymousArray<ChunkHeader*> newest_first;
  each_chunk(ChunkKind::threads, [&](ChunkHeader* chunk) { newest_first.append(chunk); });
  const auto own_thread = static_cast<std::uint32_t>(sys::call(__NR_gettid));
  Totals& totals = walk.into.totals;
  for (std::size_t i = newest_first.size(); i-- > 0;) {
    const ThreadRecord* records = live::entries<ThreadRecord>(newest_first[i]);
    const std::size_t size = entries_in<ThreadRecord>(newest_first[i], false);
    for (std::size_t j = 0; j < size; ++j) {
      if (__atomic_load_n(&records[j].thread, __ATOMIC_ACQUIRE) == 0) continue;
      const ThreadEntry thread = make_thread(records[j], walk.slots, own_thread);
      totals.signals = saturating_sum(totals.signals, thread.signals);
      totals.cpu_time = saturating_sum(totals.cpu_time, thread.cpu_time);
      walk.into.threads.append(thread);
    }
  }
  return newest_first.complete() && walk.slots.complete();
}

}  // namespace

bool gather_calls(Gathered& into) {
  Walk walk = {into, {}};
  gather_arcs<CallEntry>(walk, ChunkKind::arcs, false);
  gather_arcs<ThroughEntry>(walk, ChunkKind::through_arcs, false);
  gather_arcs<CallEntry>(walk, ChunkKind::retired_arcs, true);
  gather_arcs<ThroughEntry>(walk, ChunkKind::retired_through_arcs, true);
  const bool threads_known = gather_threads(walk);
  sort(into.arcs, [](const ArcEntry& a, const ArcEntry& b) { return key_of(a) < key_of(b); });
  sum_neighbours(into.arcs,
                 [](const ArcEntry& a, const ArcEntry& b) { return key_of(a) == key_of(b); });
  for (const ArcEntry& arc : into.arcs) {
    into.totals.calls = saturating_sum(into.totals.calls, arc.count);
  }
  return threads_known && into.arcs.complete() && into.threads.complete();
}

}  // namespace gprof_runtime
