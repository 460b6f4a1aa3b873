#include "runtime/process/reset.h"

#include "runtime/sampling/sliced_counts.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime {
namespace {

template <typename Entry>
void reset_entries(ChunkHeader* chunk) {
  Entry* entries = live::entries<Entry>(chunk);
  for (std::uint64_t i = 0; i < chunk->capacity; ++i) {
    if (entries[i].count != 0) __atomic_store_n(&entries[i].count, 0, __ATOMIC_RELAXED);
  }
}

void reset_stacks(ChunkHeader* chunk) {
  auto* bytes = live::entries<std::uint8_t>(chunk);
  for (std::uint64_t place = 0; place + sizeof(StackRecord) <= chunk->used;) {
    auto* record = reinterpret_cast<StackRecord*>(bytes + place);
    if (record->depth == 0) return;
    __atomic_store_n(&record->count, 0, __ATOMIC_RELAXED);
    place += sizeof(StackRecord) + record->depth * sizeof(std::uint64_t);
  }
}

void reset_blocks(ChunkHeader* chunk) {
  for (std::uint64_t& count : live::entries<BlockPage>(chunk)->counts) {
    if (count != 0) __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
  }
}

void reset_threads(ChunkHeader* chunk) {
  auto* records = live::entries<ThreadRecord>(chunk);
  for (std::uint64_t i = 0; i < chunk->used; ++i) {
    ThreadRecord& record = records[i];
    record.calls = 0;
    record.calls_before = 0;
    record.samples = 0;
    record.signals = 0;
    // CPU time used so far no longer belongs to this profile.
    record.cpu_time_before += record.cpu_time;
    record.cpu_time = 0;
  }
}

}  // namespace

void reset_counts() {
  SamplingQuality& sampling = live::header()->sampling;
  const std::uint64_t tick_period = sampling.tick_period;
  sampling = SamplingQuality{};
  sampling.tick_period = tick_period;
  sampler::begin_reset();
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    switch (kind_of(*chunk)) {
      case ChunkKind::arcs:
      case ChunkKind::retired_arcs:
        reset_entries<CallEntry>(chunk);
        break;
      case ChunkKind::through_arcs:
      case ChunkKind::retired_through_arcs:
        reset_entries<ThroughEntry>(chunk);
        break;
      case ChunkKind::samples:
        reset_entries<SampleEntry>(chunk);
        break;
      case ChunkKind::stack_counts:
        reset_entries<StackCount>(chunk);
        break;
      case ChunkKind::waits:
        reset_entries<WaitCount>(chunk);
        break;
      case ChunkKind::wait_holders:
        reset_entries<HolderCount>(chunk);
        break;
      case ChunkKind::stacks:
        reset_stacks(chunk);
        break;
      case ChunkKind::block_counts:
        reset_blocks(chunk);
        break;
      case ChunkKind::threads:
        reset_threads(chunk);
        break;
      default:
        break;
    }
  }
  sampler::end_reset();
}

}  // namespace gprof_runtime
