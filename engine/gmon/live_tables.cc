// What the kinds of chunks hold.
#include <algorithm>
#include <tuple>

#include "engine/gmon/add_counts.h"
#include "engine/gmon/live_reader.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

using namespace live_format;

constexpr std::size_t thread_size = 64;
constexpr std::size_t call_size = 32;
constexpr std::size_t through_size = 64;
constexpr std::size_t sample_size = 32;
constexpr std::size_t stack_size = 24;
constexpr std::size_t frame_size = 8;
constexpr std::size_t module_size = 4032;
constexpr std::size_t block_page_header_size = 16;
constexpr std::size_t block_place_size = 16;
constexpr std::size_t summed_up_from = 1 << 20;

// Entries [0, count) of those that the payload holds whole.
template <typename Visit>
void for_each_entry(std::span<const std::byte> payload, std::size_t entry_size, std::uint64_t count,
                    Visit visit) {
  const std::uint64_t present = std::min<std::uint64_t>(count, payload.size() / entry_size);
  for (std::uint64_t i = 0; i < present; ++i) {
    visit(EntryView(payload.subspan(i * entry_size, entry_size)));
  }
}

auto key(const LiveCall& call) {
  return std::tie(call.epoch, call.from, call.self, call.is_through, call.behind, call.through);
}
auto key(const LiveSample& sample) { return std::tie(sample.epoch, sample.address); }
auto key(const LiveBlockCount& block) { return std::tie(block.epoch, block.address); }

// Sorts, and makes one of entries that differ in their count alone.
template <typename Entry>
void sum_up(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept > 0 && key(entries[kept - 1]) == key(entries[i])) {
      add_counts(entries[kept - 1], entries[i]);
    } else {
      entries[kept++] = entries[i];
    }
  }
  entries.resize(kept);
}

// Keeps the memory for the same entries of many threads within bounds.
template <typename Entry>
void sum_up_many(std::vector<Entry>& entries, std::size_t& limit) {
  if (entries.size() < std::max(limit, summed_up_from)) return;
  sum_up(entries);
  limit = 2 * entries.size();
}

}  // namespace

void LiveTables::add(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  switch (chunk.kind) {
    case ChunkKind::none:
      return;
    case ChunkKind::threads:
      return add_threads(chunk, payload);
    case ChunkKind::arcs:
    case ChunkKind::through_arcs:
    case ChunkKind::retired_arcs:
    case ChunkKind::retired_through_arcs:
      return add_calls(chunk, payload);
    case ChunkKind::samples:
      return add_samples(chunk, payload);
    case ChunkKind::stacks:
      return add_stacks(chunk, payload);
    case ChunkKind::module:
      return add_module(chunk, payload);
    case ChunkKind::block_counts:
      return add_block_counts(chunk, payload);
    case ChunkKind::block_places:
      return add_block_places(chunk, payload);
  }
  // Kinds of newer collectors are passed over.
}

void LiveTables::finish() {
  sum_up(counters_.calls);
  sum_up(counters_.samples);
  sum_up(counters_.block_counts);
  std::sort(counters_.block_places.begin(), counters_.block_places.end(),
            [](const LiveBlockPlace& a, const LiveBlockPlace& b) {
              return std::tie(a.epoch, a.call, a.returns_to) <
                     std::tie(b.epoch, b.call, b.returns_to);
            });
}

void LiveTables::add_threads(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  for_each_entry(payload, thread_size, chunk.capacity, [&](const EntryView& entry) {
    LiveThread thread;
    thread.thread = entry.u32(0);
    if (thread.thread == 0) return;
    thread.slot = entry.u32(4);
    thread.ended = entry.u32(8) != 0;
    thread.calls_before = entry.u64(16);
    thread.calls = entry.u64(24);
    thread.samples = entry.u64(32);
    thread.signals = entry.u64(40);
    thread.cpu_time = entry.u64(48);
    counters_.threads.push_back(thread);
  });
}

void LiveTables::add_calls(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  const bool retired =
      chunk.kind == ChunkKind::retired_arcs || chunk.kind == ChunkKind::retired_through_arcs;
  const bool through =
      chunk.kind == ChunkKind::through_arcs || chunk.kind == ChunkKind::retired_through_arcs;
  const std::uint64_t count = retired ? chunk.used : chunk.capacity;
  std::uint64_t& calls_of_slot = counters_.calls_of_slot[chunk.slot];
  for_each_entry(payload, through ? through_size : call_size, count, [&](const EntryView& entry) {
    LiveCall call;
    call.epoch = retired ? epoch_of(chunk) : counters_.epoch;
    call.from = entry.u64(0);
    call.self = entry.u64(8);
    call.count = entry.u64(16);
    if (call.from == 0 || call.from == retired_address || call.self == 0 || call.count == 0) return;
    call.is_through = through;
    if (through) {
      call.behind = entry.u64(24);
      call.through = entry.u64(32);
    }
    calls_of_slot = saturating_add(calls_of_slot, call.count);
    counters_.calls.push_back(call);
  });
  sum_up_many(counters_.calls, call_limit_);
}

void LiveTables::add_samples(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  for_each_entry(payload, sample_size, chunk.capacity, [&](const EntryView& entry) {
    const LiveSample sample{entry.u64(8), entry.u64(0), entry.u64(16), entry.u64(24)};
    if (sample.count != 0) counters_.samples.push_back(sample);
  });
  sum_up_many(counters_.samples, sample_limit_);
}

void LiveTables::add_stacks(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  payload = payload.first(std::min<std::uint64_t>(chunk.used, payload.size()));
  while (payload.size() >= stack_size) {
    const EntryView entry(payload);
    const std::uint64_t depth = entry.u32(16);
    payload = payload.subspan(stack_size);
    if (depth == 0 || depth > payload.size() / frame_size) return;
    LiveStack stack{entry.u64(0), entry.u64(8), entry.u32(20) != 0, {}};
    stack.frames.reserve(depth);
    for (std::uint64_t i = 0; i < depth; ++i) {
      stack.frames.push_back(entry.u64(stack_size + i * frame_size));
    }
    payload = payload.subspan(depth * frame_size);
    if (stack.count != 0) counters_.stacks.push_back(std::move(stack));
  }
}

void LiveTables::add_module(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  // While the record is being filled, it is not in use.
  if (chunk.used == 0 || payload.size() < module_size) return;
  const EntryView entry(payload);
  LiveModule module;
  module.bias = entry.u64(0);
  module.low = entry.u64(8);
  module.high = entry.u64(16);
  module.text_low = entry.u64(24);
  module.text_high = entry.u64(32);
  module.init_address = entry.u64(40);
  module.load_epoch = entry.u64(48);
  module.unload_epoch = entry.u64(56);
  module.flags = entry.u32(64);
  if (module.low >= module.high) return;
  constexpr std::size_t build_id_room = 64;
  const auto build_id = entry.bytes(72, std::min<std::size_t>(entry.u32(68), build_id_room));
  module.build_id.assign(build_id.begin(), build_id.end());
  module.soname = entry.text(136, 128);
  module.path = entry.text(264, module_size - 264);
  counters_.modules.push_back(std::move(module));
}

void LiveTables::add_block_counts(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  const std::uint64_t low = EntryView(payload).u64(0);
  if (payload.size() < block_page_header_size || low % LiveBlockCount::granule != 0) return;
  std::uint64_t address = low;
  for_each_entry(payload.subspan(block_page_header_size), 8,
                 block_page_span / LiveBlockCount::granule, [&](const EntryView& entry) {
                   const LiveBlockCount block{epoch_of(chunk), address, entry.u64(0)};
                   address += LiveBlockCount::granule;
                   if (block.count != 0) counters_.block_counts.push_back(block);
                 });
  sum_up_many(counters_.block_counts, block_limit_);
}

void LiveTables::add_block_places(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  for_each_entry(payload, block_place_size, chunk.used, [&](const EntryView& entry) {
    const LiveBlockPlace place{epoch_of(chunk), entry.u64(0), entry.u64(8)};
    if (place.call != 0) counters_.block_places.push_back(place);
  });
}

}  // namespace gprof
