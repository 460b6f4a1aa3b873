#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/gathered_parts.h"
#include "runtime/output/gathered_stacks.h"
#include "runtime/output/live_walk.h"

namespace gprof_runtime {
namespace {

// The function is not part of it: a call has one kind of wait, but a pointer may lead to several
// functions.
auto key_of(const ReadWait& wait) {
  return std::tie(wait.wait.stack, wait.wait.kind, wait.wait.thread, wait.wait.slice);
}
auto key_of(const WaitEntry& wait) { return std::tie(wait.stack, wait.kind); }
auto key_of(const HolderEntry& holder) { return std::tie(holder.wait, holder.holder); }

// The stacks that waits and holders name become the wait stacks, which they name then. What names a
// stack that is not there goes.
class WaitStacks {
 public:
  WaitStacks(Gathered& into, ReadCounts& read)
      : into_(into), read_(read), own_(own_module(into.modules)) {}

  bool take() {
    for (ReadStack& stack : read_.stacks) stack.stack.count = 0;
    for (std::size_t i = 0; i < read_.stacks.size(); ++i) places_.append(no_stack);
    if (!places_.complete()) return false;
    for (ReadWait& wait : read_.waits) {
      wait.wait.stack = use(wait.slot, wait.wait.stack, wait.wait.count);
    }
    for (ReadHolder& holder : read_.holders) {
      holder.holder.stack = use(holder.slot, holder.holder.stack, 0);
      holder.holder.holder_stack = use(holder.holder.holder_slot, holder.holder.holder_stack, 0);
    }
    add_used();
    if (!join_equal_stacks(into_.frames, into_.wait_stacks, places_)) return false;
    for (ReadWait& wait : read_.waits) wait.wait.stack = place_of(wait.wait.stack);
    for (ReadHolder& holder : read_.holders) {
      holder.holder.stack = place_of(holder.holder.stack);
      holder.holder.holder_stack = place_of(holder.holder.holder_stack);
    }
    return into_.frames.complete();
  }

 private:
  static constexpr std::uint32_t used = 0;

  // Which of the stacks that were read it is.
  std::uint32_t use(std::uint32_t slot, std::uint32_t number, std::uint64_t count) {
    const std::uint32_t stack = place_of_stack(read_, slot, number);
    if (stack == no_stack) return no_stack;
    places_[stack] = used;
    std::uint64_t& sum = read_.stacks[stack].stack.count;
    sum = saturating_sum(sum, count);
    return stack;
  }

  void add_used() {
    for (std::uint32_t i = 0; i < read_.stacks.size(); ++i) {
      if (places_[i] != used) continue;
      GatheredStack stack = without_own_frames(into_, read_.stacks[i].stack, own_);
      stack.first_read = i;
      if (stack.depth != 0) into_.wait_stacks.append(stack);
      if (stack.depth == 0) places_[i] = no_stack;
    }
  }

  std::uint32_t place_of(std::uint32_t stack) const {
    return stack != no_stack ? places_[stack] : no_stack;
  }

  Gathered& into_;
  ReadCounts& read_;
  std::uint32_t own_;
  AnonymousArray<std::uint32_t> places_;
};

void add_waits(Gathered& into, ReadCounts& read) {
  sort(read.waits, [](const ReadWait& a, const ReadWait& b) { return key_of(a) < key_of(b); });
  for (const ReadWait& one : read.waits) {
    const WaitCount& wait = one.wait;
    if (wait.stack == no_stack) break;  // they are the last ones
    WaitEntry entry = {.stack = wait.stack,
                       .kind = wait.kind,
                       .times = wait.times,
                       .total = wait.count,
                       .longest = wait.longest,
                       .function = wait.function,
                       .reserved = 0,
                       .unused = 0};
    const std::size_t last = into.waits.size();
    if (last != 0 && key_of(into.waits[last - 1]) == key_of(entry)) {
      WaitEntry& sum = into.waits[last - 1];
      sum.times = saturating_sum(sum.times, entry.times);
      sum.total = saturating_sum(sum.total, entry.total);
      sum.longest = larger(sum.longest, entry.longest);
    } else {
      into.waits.append(entry);
    }
    if (wait.thread == no_thread && wait.slice == no_slice) continue;
    add_part(into.wait_parts, {.whole = static_cast<std::uint32_t>(into.waits.size() - 1),
                               .thread = wait.thread,
                               .slice = wait.slice,
                               .kernel_count = 0,
                               .count = wait.count,
                               .excess_variance = wait.times});
    note_slice(into, wait.slice);
  }
}

void add_holders(Gathered& into, const ReadCounts& read) {
  for (const ReadHolder& one : read.holders) {
    const HolderCount& holder = one.holder;
    const std::uint32_t kind = holder.kind;
    const auto wanted = std::tie(holder.stack, kind);
    const WaitEntry* found =
        partition_point(into.waits.begin(), into.waits.end(),
                        [&](const WaitEntry& wait) { return key_of(wait) < wanted; });
    const bool known = found != into.waits.end() && key_of(*found) == wanted;
    if (!known || holder.holder_stack == no_stack) continue;
    into.holders.append({.wait = static_cast<std::uint32_t>(found - into.waits.begin()),
                         .holder = holder.holder_stack,
                         .times = holder.times,
                         .time = holder.count,
                         .unused = 0});
  }
  sort(into.holders,
       [](const HolderEntry& a, const HolderEntry& b) { return key_of(a) < key_of(b); });
  std::size_t kept = 0;
  for (const HolderEntry& holder : into.holders) {
    if (kept != 0 && key_of(into.holders[kept - 1]) == key_of(holder)) {
      HolderEntry& sum = into.holders[kept - 1];
      sum.times = saturating_sum(sum.times, holder.times);
      sum.time = saturating_sum(sum.time, holder.time);
    } else {
      into.holders[kept++] = holder;
    }
  }
  into.holders.shrink(kept);
}

}  // namespace

bool read_waits(Gathered& into, ReadCounts& read) {
  const bool waits = each_valid_table(ChunkKind::waits, [&](ChunkHeader* chunk) {
    const WaitCount* entries = live::entries<WaitCount>(chunk);
    const std::size_t size = entries_in<WaitCount>(chunk, false);
    for (std::size_t i = 0; i < size; ++i) {
      WaitCount wait = entries[i];
      wait.count = read_live(entries[i].count);
      if (wait.count == 0) continue;
      wait.slice = joined_slice(wait.slice, slice_width_of(*chunk), into.slice_width);
      read.waits.append({chunk->slot, wait});
    }
  });
  const bool holders = each_valid_table(ChunkKind::wait_holders, [&](ChunkHeader* chunk) {
    const HolderCount* entries = live::entries<HolderCount>(chunk);
    const std::size_t size = entries_in<HolderCount>(chunk, false);
    for (std::size_t i = 0; i < size; ++i) {
      HolderCount holder = entries[i];
      holder.count = read_live(entries[i].count);
      if (holder.count != 0) read.holders.append({chunk->slot, holder});
    }
  });
  return waits && holders && read.waits.complete() && read.holders.complete();
}

bool add_up_waits(Gathered& into, ReadCounts& read) {
  if (read.waits.empty()) return true;
  for (ReadWait& wait : read.waits) wait.wait.thread = place_of_thread(into, wait.wait.thread);
  WaitStacks stacks(into, read);
  if (!stacks.take()) return false;
  add_waits(into, read);
  add_holders(into, read);
  return read.waits.complete() && into.complete();
}

}  // namespace gprof_runtime
