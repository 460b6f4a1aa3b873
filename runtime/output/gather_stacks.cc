#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/gathered_parts.h"
#include "runtime/output/gathered_stacks.h"
#include "runtime/output/live_walk.h"
#include "runtime/unwind/walked_stack.h"

namespace gprof_runtime {
namespace {

StackFrame frame_of_mark(std::uint64_t word) {
  const std::uint64_t length =
      stack_mark::is_repeat(word) ? stack_mark::length_of(word) : frames_left_out;
  return {no_module, static_cast<std::uint32_t>(length), stack_mark::count_of(word)};
}

void add_stack(Gathered& into, ReadCounts& read, std::uint32_t slot, const StackRecord& record) {
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(&record + 1);
  GatheredStack stack = {.first = into.frames.size(),
                         .depth = record.depth,
                         .truncated = record.truncated != 0 ? 1U : 0U,
                         .count = read_live(record.count),
                         .rank = 0,
                         .first_read = 0,
                         .inferred_from = 0};
  if (!into.frames.reserve(record.depth)) return;
  for (std::uint32_t i = 0; i < record.depth; ++i) {
    if (stack_mark::is_mark(addresses[i])) {
      into.frames.append(frame_of_mark(addresses[i]));
      continue;
    }
    const ModuleAddress found = into.modules.resolve(addresses[i], record.epoch);
    StackFrame frame = {found.module, 0, found.address};
    // Code of no module has no room for the mark: the next frame has it.
    const bool inferred = record.inferred_from != 0 && i >= record.inferred_from;
    if (inferred && stack.inferred_from == 0 && found.module != no_module) {
      stack.inferred_from = i;
      frame.mark = frame_inferred;
    }
    into.frames.append(frame);
  }
  read.stacks.append({slot, record.number, stack});
}

void add_stacks(Gathered& into, ReadCounts& read, ChunkHeader* chunk) {
  const std::uint8_t* bytes = live::entries<std::uint8_t>(chunk);
  const std::uint64_t end = entries_in<std::uint8_t>(chunk, true);
  std::uint64_t offset = 0;
  while (end - offset >= sizeof(StackRecord)) {
    const auto* record = reinterpret_cast<const StackRecord*>(bytes + offset);
    const std::uint32_t depth = __atomic_load_n(&record->depth, __ATOMIC_ACQUIRE);
    const std::uint64_t size = sizeof(StackRecord) + std::uint64_t{depth} * sizeof(std::uint64_t);
    if (depth == 0 || size > end - offset) return;
    add_stack(into, read, chunk->slot, *record);
    offset += size;
  }
}

auto key_of(const ReadStack& stack) { return std::tie(stack.slot, stack.number); }
auto part_key(const PartEntry& part) { return std::tie(part.whole, part.thread, part.slice); }

// Adds the counts to their stacks, whose places they then name.
void add_counts_to_stacks(ReadCounts& read) {
  sort(read.stacks, [](const ReadStack& a, const ReadStack& b) { return key_of(a) < key_of(b); });
  for (ReadStackCount& count : read.stack_counts) {
    count.stack = place_of_stack(read, count.slot, count.stack);
    if (count.stack == no_stack) continue;
    GatheredStack& stack = read.stacks[count.stack].stack;
    stack.count = saturating_sum(stack.count, count.count);
  }
}

// The places of stacks that were read among those that are gathered.
bool add_up_equal_stacks(Gathered& into, ReadCounts& read, AnonymousArray<std::uint32_t>& places) {
  for (std::uint32_t i = 0; i < read.stacks.size(); ++i) {
    GatheredStack stack = read.stacks[i].stack;
    stack.first_read = i;
    places.append(no_stack);
    if (stack.count != 0) into.stacks.append(stack);
  }
  return places.complete() && join_equal_stacks(into.frames, into.stacks, places);
}

}  // namespace

std::uint32_t place_of_stack(const ReadCounts& read, std::uint32_t slot, std::uint32_t number) {
  const auto wanted = std::tie(slot, number);
  const ReadStack* found =
      partition_point(read.stacks.begin(), read.stacks.end(),
                      [&](const ReadStack& stack) { return key_of(stack) < wanted; });
  const bool known = found != read.stacks.end() && key_of(*found) == wanted;
  return known ? static_cast<std::uint32_t>(found - read.stacks.begin()) : no_stack;
}

bool read_stacks(Gathered& into, ReadCounts& read) {
  // A stack's record is there before its counts.
  const bool found = each_valid_table(ChunkKind::stack_counts, [&](ChunkHeader* chunk) {
    const StackCount* entries = live::entries<StackCount>(chunk);
    const std::size_t size = entries_in<StackCount>(chunk, false);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t count = read_live(entries[i].count);
      if (count == 0) continue;
      const std::uint32_t slice =
          joined_slice(entries[i].slice, slice_width_of(*chunk), into.slice_width);
      read.stack_counts.append({chunk->slot, entries[i].stack, entries[i].thread, slice, count});
    }
  });
  each_chunk(ChunkKind::stacks, [&](ChunkHeader* chunk) { add_stacks(into, read, chunk); });
  return found && read.stack_counts.complete() && read.stacks.complete() && into.frames.complete();
}

bool add_up_stacks(Gathered& into, ReadCounts& read) {
  add_counts_to_stacks(read);
  AnonymousArray<std::uint32_t> places;
  if (!read.stacks.complete() || !add_up_equal_stacks(into, read, places)) return false;
  AnonymousArray<PartEntry>& parts = into.stack_parts;
  for (const ReadStackCount& count : read.stack_counts) {
    if (count.stack == no_stack) continue;
    const std::uint32_t thread = place_of_thread(into, count.thread);
    if (thread == no_thread && count.slice == no_slice) continue;
    parts.append({.whole = places[count.stack],
                  .thread = thread,
                  .slice = count.slice,
                  .kernel_count = 0,
                  .count = count.count,
                  .excess_variance = 0});
    note_slice(into, count.slice);
  }
  sort(parts, [](const PartEntry& a, const PartEntry& b) { return part_key(a) < part_key(b); });
  sum_neighbours(parts,
                 [](const PartEntry& a, const PartEntry& b) { return part_key(a) == part_key(b); });
  return parts.complete();
}

bool find_crash_stack(Gathered& into, const ReadCounts& read) {
  const CrashNote& crash = live::header()->crash;
  if (read_live(crash.state) != static_cast<std::uint32_t>(CrashState::noted)) return true;
  const std::uint32_t place = place_of_stack(read, crash.slot, crash.stack);
  if (place == no_stack) return true;
  into.crash_stack = without_own_frames(into, read.stacks[place].stack, own_module(into.modules));
  into.crash_stack.count = 0;
  return into.frames.complete();
}

}  // namespace gprof_runtime
