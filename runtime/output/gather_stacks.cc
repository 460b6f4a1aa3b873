#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/gathered_parts.h"
#include "runtime/output/live_walk.h"
#include "runtime/unwind/walked_stack.h"

namespace gprof_runtime {
namespace {

// Marks come before addresses in no module: 0, which is none, becomes the largest number.
auto key_of(const StackFrame& frame) {
  return std::tuple(frame.module, frame.mark - 1, frame.address);
}

// Compares frames from the sampled one outwards; a prefix comes first. Negative, 0 or positive.
int compare_stacks(const Gathered& gathered, const GatheredStack& a, const GatheredStack& b) {
  const StackFrame* frames_a = gathered.frames.data() + a.first;
  const StackFrame* frames_b = gathered.frames.data() + b.first;
  const std::uint32_t depth = smaller(a.depth, b.depth);
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (key_of(frames_a[i]) != key_of(frames_b[i])) {
      return key_of(frames_a[i]) < key_of(frames_b[i]) ? -1 : 1;
    }
  }
  if (a.depth != b.depth) return a.depth < b.depth ? -1 : 1;
  return static_cast<int>(a.truncated) - static_cast<int>(b.truncated);
}

StackFrame frame_of_mark(std::uint64_t word) {
  const std::uint64_t length =
      stack_mark::is_repeat(word) ? stack_mark::length_of(word) : frames_left_out;
  return {no_module, static_cast<std::uint32_t>(length), stack_mark::count_of(word)};
}

void add_stack(Gathered& into, ReadCounts& read, std::uint32_t slot, const StackRecord& record) {
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(&record + 1);
  const GatheredStack stack = {.first = into.frames.size(),
                               .depth = record.depth,
                               .truncated = record.truncated != 0 ? 1U : 0U,
                               .count = read_live(record.count),
                               .rank = 0,
                               .first_read = 0};
  if (!into.frames.reserve(record.depth)) return;
  for (std::uint32_t i = 0; i < record.depth; ++i) {
    if (stack_mark::is_mark(addresses[i])) {
      into.frames.append(frame_of_mark(addresses[i]));
      continue;
    }
    const ModuleAddress found = into.modules.resolve(addresses[i], record.epoch);
    into.frames.append({found.module, 0, found.address});
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

constexpr std::uint32_t no_stack = 0xffffffff;

// Adds the counts to their stacks, whose places they then name.
void add_counts_to_stacks(ReadCounts& read) {
  sort(read.stacks, [](const ReadStack& a, const ReadStack& b) { return key_of(a) < key_of(b); });
  for (ReadStackCount& count : read.stack_counts) {
    ReadStack* found = partition_point(
        read.stacks.begin(), read.stacks.end(),
        [&](const ReadStack& stack) { return key_of(stack) < std::tie(count.slot, count.stack); });
    const bool known =
        found != read.stacks.end() && key_of(*found) == std::tie(count.slot, count.stack);
    count.stack = known ? static_cast<std::uint32_t>(found - read.stacks.begin()) : no_stack;
    if (known) found->stack.count = saturating_sum(found->stack.count, count.count);
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
  const auto by_frames = [&](const GatheredStack& a, const GatheredStack& b) {
    return compare_stacks(into, a, b) < 0;
  };
  sort(into.stacks, by_frames);
  std::size_t kept = 0;
  if (!places.complete() || !into.stacks.complete()) return false;
  for (std::size_t i = 0; i < into.stacks.size(); ++i) {
    const GatheredStack stack = into.stacks[i];
    if (kept == 0 || compare_stacks(into, into.stacks[kept - 1], stack) != 0) {
      into.stacks[kept] = stack;
      into.stacks[kept].rank = kept;
      ++kept;
    } else {
      add_counts(into.stacks[kept - 1], stack);
    }
    places[stack.first_read] = static_cast<std::uint32_t>(kept - 1);
  }
  into.stacks.shrink(kept);
  sort(into.stacks, [](const GatheredStack& a, const GatheredStack& b) {
    return a.count != b.count ? a.count > b.count : a.rank < b.rank;
  });
  AnonymousArray<std::uint32_t> places_of_ranks;
  for (std::size_t i = 0; i < kept; ++i) places_of_ranks.append(0);
  if (!places_of_ranks.complete() || !into.stacks.complete()) return false;
  for (std::uint32_t i = 0; i < kept; ++i) places_of_ranks[into.stacks[i].rank] = i;
  for (std::uint32_t& place : places) {
    if (place != no_stack) place = places_of_ranks[place];
  }
  return true;
}

}  // namespace

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
                  .reserved = 0,
                  .count = count.count,
                  .excess_variance = 0});
    note_slice(into, count.slice);
  }
  sort(parts, [](const PartEntry& a, const PartEntry& b) { return part_key(a) < part_key(b); });
  sum_neighbours(parts,
                 [](const PartEntry& a, const PartEntry& b) { return part_key(a) == part_key(b); });
  return parts.complete();
}

}  // namespace gprof_runtime
