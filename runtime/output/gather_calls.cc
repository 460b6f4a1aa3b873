#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/gathered_parts.h"
#include "runtime/output/live_walk.h"

namespace gprof_runtime {
namespace {

struct SlotOwner {
  std::uint32_t slot;
  std::uint32_t thread;  // its place among the gathered
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
void read_tables(ModuleTable& modules, ReadCounts& into, ChunkKind kind, bool retired) {
  each_chunk(kind, [&](ChunkHeader* chunk) {
    const Entry* entries = live::entries<Entry>(chunk);
    const std::uint64_t epoch = retired ? epoch_of(chunk, modules.epoch()) : modules.epoch();
    const std::size_t size = entries_in<Entry>(chunk, retired);
    for (std::size_t i = 0; i < size; ++i) {
      // `self` is written last: values read after it belong to it.
      const std::uint64_t self = read_live(entries[i].self);
      const Read read = {read_live(entries[i].from), self, read_live(entries[i].count)};
      if (!is_counted(read)) continue;
      into.arcs.append({make_arc(modules, entries[i], read, epoch), chunk->slot, no_thread});
    }
  });
}

// The place of the only thread that had the slot; no_thread if there were several.
std::uint32_t owner_of_slot(const AnonymousArray<SlotOwner>& owners, std::uint32_t slot) {
  const SlotOwner* found = partition_point(
      owners.begin(), owners.end(), [&](const SlotOwner& owner) { return owner.slot < slot; });
  if (found == owners.end() || found->slot != slot) return no_thread;
  const bool alone = found + 1 == owners.end() || found[1].slot != slot;
  return alone ? found->thread : no_thread;
}

}  // namespace

bool read_arcs(ModuleTable& modules, ReadCounts& read) {
  read_tables<CallEntry>(modules, read, ChunkKind::arcs, false);
  read_tables<ThroughEntry>(modules, read, ChunkKind::through_arcs, false);
  read_tables<CallEntry>(modules, read, ChunkKind::retired_arcs, true);
  read_tables<ThroughEntry>(modules, read, ChunkKind::retired_through_arcs, true);
  return read.arcs.complete();
}

bool add_up_arcs(Gathered& into, ReadCounts& read) {
  AnonymousArray<SlotOwner> owners;
  for (std::uint32_t i = 0; i < into.threads.size(); ++i) {
    owners.append({into.threads[i].slot, i});
  }
  sort(owners, [](const SlotOwner& a, const SlotOwner& b) { return a.slot < b.slot; });
  for (ReadArc& arc : read.arcs) arc.thread = owner_of_slot(owners, arc.slot);
  sort(read.arcs, [](const ReadArc& a, const ReadArc& b) {
    return std::tuple_cat(key_of(a.arc), std::tie(a.thread)) <
           std::tuple_cat(key_of(b.arc), std::tie(b.thread));
  });
  for (const ReadArc& arc : read.arcs) {
    const std::size_t last = into.arcs.size();
    const bool known = last != 0 && key_of(into.arcs[last - 1]) == key_of(arc.arc);
    if (!known && !into.arcs.append(arc.arc)) return false;
    if (known) add_counts(into.arcs[last - 1], arc.arc);
    add_part(into.arc_parts, {.whole = static_cast<std::uint32_t>(into.arcs.size() - 1),
                              .thread = arc.thread,
                              .slice = no_slice,
                              .kernel_count = 0,
                              .count = arc.arc.count,
                              .excess_variance = 0});
    into.totals.calls = saturating_sum(into.totals.calls, arc.arc.count);
  }
  return owners.complete() && read.complete() && into.arcs.complete() && into.arc_parts.complete();
}

}  // namespace gprof_runtime
