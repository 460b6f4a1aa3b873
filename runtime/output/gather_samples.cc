#include <tuple>

#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/live_walk.h"
#include "runtime/unwind/walked_stack.h"

namespace gprof_runtime {
namespace {

auto key_of(const SamplePlace& sample) { return std::tie(sample.module, sample.address); }
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

void add_stack(Gathered& into, const StackRecord& record, std::uint64_t count) {
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(&record + 1);
  const GatheredStack stack = {.first = into.frames.size(),
                               .depth = record.depth,
                               .truncated = record.truncated != 0 ? 1U : 0U,
                               .count = count,
                               .rank = 0};
  if (!into.frames.reserve(record.depth)) return;
  for (std::uint32_t i = 0; i < record.depth; ++i) {
    if (stack_mark::is_mark(addresses[i])) {
      into.frames.append(frame_of_mark(addresses[i]));
      continue;
    }
    const ModuleAddress found = into.modules.resolve(addresses[i], record.epoch);
    into.frames.append({found.module, 0, found.address});
  }
  into.stacks.append(stack);
}

void add_stacks(Gathered& into, ChunkHeader* chunk) {
  const std::uint8_t* bytes = live::entries<std::uint8_t>(chunk);
  const std::uint64_t end = entries_in<std::uint8_t>(chunk, true);
  std::uint64_t offset = 0;
  while (end - offset >= sizeof(StackRecord)) {
    const auto* record = reinterpret_cast<const StackRecord*>(bytes + offset);
    const std::uint32_t depth = __atomic_load_n(&record->depth, __ATOMIC_ACQUIRE);
    const std::uint64_t size = sizeof(StackRecord) + std::uint64_t{depth} * sizeof(std::uint64_t);
    if (depth == 0 || size > end - offset) return;
    const std::uint64_t count = read_live(record->count);
    if (count != 0) add_stack(into, *record, count);
    offset += size;
  }
}

}  // namespace

bool gather_samples(Gathered& into) {
  each_chunk(ChunkKind::samples, [&](ChunkHeader* chunk) {
    const SampleEntry* entries = live::entries<SampleEntry>(chunk);
    const std::size_t size = entries_in<SampleEntry>(chunk, false);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t count = read_live(entries[i].count);
      if (count == 0) continue;
      const ModuleAddress found = into.modules.resolve(entries[i].address, entries[i].epoch);
      into.samples.append(
          {found.module, 0, found.address, count, read_live(entries[i].excess_variance)});
      into.totals.samples = saturating_sum(into.totals.samples, count);
    }
  });
  sort(into.samples,
       [](const SamplePlace& a, const SamplePlace& b) { return key_of(a) < key_of(b); });
  sum_neighbours(into.samples,
                 [](const SamplePlace& a, const SamplePlace& b) { return key_of(a) == key_of(b); });
  return into.samples.complete();
}

bool gather_stacks(Gathered& into) {
  each_chunk(ChunkKind::stacks, [&](ChunkHeader* chunk) { add_stacks(into, chunk); });
  sort(into.stacks, [&](const GatheredStack& a, const GatheredStack& b) {
    return compare_stacks(into, a, b) < 0;
  });
  sum_neighbours(into.stacks, [&](const GatheredStack& a, const GatheredStack& b) {
    return compare_stacks(into, a, b) == 0;
  });
  for (std::size_t i = 0; i < into.stacks.size(); ++i) into.stacks[i].rank = i;
  sort(into.stacks, [](const GatheredStack& a, const GatheredStack& b) {
    return a.count != b.count ? a.count > b.count : a.rank < b.rank;
  });
  return into.stacks.complete() && into.frames.complete();
}

}  // namespace gprof_runtime
