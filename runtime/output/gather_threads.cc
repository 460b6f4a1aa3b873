#include <cstring>

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

bool add_up_slots(const ReadCounts& read, AnonymousArray<SlotCalls>& slots) {
  for (const ReadArc& arc : read.arcs) {
    const std::size_t size = slots.size();
    if (size != 0 && slots[size - 1].slot == arc.slot) {
      slots[size - 1].count = saturating_sum(slots[size - 1].count, arc.arc.count);
    } else {
      slots.append({arc.slot, arc.arc.count});
    }
  }
  sort(slots, [](const SlotCalls& a, const SlotCalls& b) { return a.slot < b.slot; });
  sum_neighbours(slots, [](const SlotCalls& a, const SlotCalls& b) { return a.slot == b.slot; });
  return slots.complete();
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

GatheredThread make_thread(const ThreadRecord& record, const AnonymousArray<SlotCalls>& slots,
                           std::uint32_t own_thread) {
  GatheredThread thread = {
      .entry = {.thread = record.thread,
                .ended = __atomic_load_n(&record.ended, __ATOMIC_ACQUIRE) != 0 ? 1U : 0U,
                .calls = read_live(record.calls),
                .samples = read_live(record.samples),
                .signals = read_live(record.signals),
                .cpu_time = read_live(record.cpu_time),
                .name = 0,
                .process = 0,
                .start_time = read_live(record.start_time)},
      .number = record.number,
      .slot = record.slot,
      .name = {}};
  std::memcpy(thread.name, record.name, sizeof thread.name);
  thread.name[sizeof thread.name - 1] = '\0';
  ThreadEntry& entry = thread.entry;
  if (entry.ended != 0) return thread;
  const std::uint64_t in_tables = calls_of_slot(slots, record.slot);
  const std::uint64_t before = read_live(record.calls_before);
  entry.calls = calls_of_running_thread(in_tables, before);
  if (entry.thread == own_thread) {
    const std::uint64_t now = own_cpu_time();
    const std::uint64_t counted = now > record.cpu_time_before ? now - record.cpu_time_before : 0;
    entry.cpu_time = larger(entry.cpu_time, counted);
  }
  return thread;
}

}  // namespace

bool gather_threads(Gathered& into, const ReadCounts& read) {
  AnonymousArray<SlotCalls> slots;
  if (!add_up_slots(read, slots)) return false;
  AnonymousArray<ChunkHeader*> newest_first;
  each_chunk(ChunkKind::threads, [&](ChunkHeader* chunk) { newest_first.append(chunk); });
  const auto own_thread = static_cast<std::uint32_t>(sys::call(__NR_gettid));
  Totals& totals = into.totals;
  for (std::size_t i = newest_first.size(); i-- > 0;) {
    const ThreadRecord* records = live::entries<ThreadRecord>(newest_first[i]);
    const std::size_t size = entries_in<ThreadRecord>(newest_first[i], false);
    for (std::size_t j = 0; j < size; ++j) {
      if (__atomic_load_n(&records[j].thread, __ATOMIC_ACQUIRE) == 0) continue;
      const GatheredThread thread = make_thread(records[j], slots, own_thread);
      totals.signals = saturating_sum(totals.signals, thread.entry.signals);
      totals.cpu_time = saturating_sum(totals.cpu_time, thread.entry.cpu_time);
      into.threads.append(thread);
    }
  }
  sort(into.threads,
       [](const GatheredThread& a, const GatheredThread& b) { return a.number < b.number; });
  return newest_first.complete() && into.threads.complete();
}

std::uint32_t place_of_thread(const Gathered& gathered, std::uint32_t number) {
  const GatheredThread* begin = gathered.threads.begin();
  const GatheredThread* end = gathered.threads.end();
  const GatheredThread* found = partition_point(
      begin, end, [&](const GatheredThread& thread) { return thread.number < number; });
  const bool known = found != end && found->number == number;
  return known ? static_cast<std::uint32_t>(found - begin) : no_thread;
}

}  // namespace gprof_runtime
