// The contents of each kind of chunk.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "engine/gmon/add_counts.h"
#include "engine/gmon/entry_view.h"
#include "engine/gmon/live_reader.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/support/saturating.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

using namespace gprof_formats;

constexpr std::size_t summed_up_from = 1 << 20;

// Entries [0, count) of those that the payload holds whole. `size`: of an entry in the file, if
// that is an older one without the last fields.
template <typename Entry, typename Visit>
void for_each_entry(std::span<const std::byte> payload, std::uint64_t count, Visit visit,
                    std::size_t size = sizeof(Entry)) {
  const std::uint64_t present = std::min<std::uint64_t>(count, payload.size() / size);
  for (std::uint64_t i = 0; i < present; ++i) {
    visit(EntryView(payload.subspan(i * size, size)).as<Entry>());
  }
}

auto key(const LiveCall& call) {
  return std::tie(call.epoch, call.from, call.self, call.is_via, call.profiled_caller, call.via,
                  call.thread);
}
auto key(const LiveSample& sample) {
  return std::tie(sample.epoch, sample.address, sample.thread, sample.slice);
}
auto key(const LiveBlockCount& block) { return std::tie(block.epoch, block.address); }

// Sorts, and merges entries that differ only in their counts.
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

// Bounds the memory that equal entries of many threads take.
template <typename Entry>
void sum_up_many(std::vector<Entry>& entries, std::size_t& limit) {
  if (entries.size() < std::max(limit, summed_up_from)) return;
  sum_up(entries);
  limit = 2 * entries.size();
}

}  // namespace

void LiveTables::add(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  switch (kind_of(chunk)) {
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
      return version_ == 1 ? add_old_samples(chunk, payload) : add_samples(chunk, payload);
    case ChunkKind::stack_counts:
      return add_stack_counts(chunk, payload);
    case ChunkKind::stacks:
      return add_stacks(chunk, payload);
    case ChunkKind::module:
      return add_module(chunk, payload);
    case ChunkKind::block_counts:
      return add_block_counts(chunk, payload);
    case ChunkKind::block_places:
      return add_block_places(chunk, payload);
    case ChunkKind::waits:
      return add_waits(chunk, payload);
    case ChunkKind::wait_holders:
      return add_wait_holders(chunk, payload);
    case ChunkKind::wait_functions:
      return add_wait_functions(chunk, payload);
  }
  // Kinds from newer collectors are skipped.
}

void LiveTables::finish() {
  finish_threads();
  finish_calls();
  finish_samples();
  std::sort(stack_numbers_.begin(), stack_numbers_.end());
  finish_waits();
  finish_crash();
  finish_stacks();
  sum_up(counters_.block_counts);
  std::sort(counters_.block_places.begin(), counters_.block_places.end(),
            [](const LiveBlockAddress& a, const LiveBlockAddress& b) {
              return std::tie(a.epoch, a.call, a.returns_to) <
                     std::tie(b.epoch, b.call, b.returns_to);
            });
}

void LiveTables::finish_threads() {
  std::stable_sort(counters_.threads.begin(), counters_.threads.end(),
                   [](const LiveThread& a, const LiveThread& b) { return a.number < b.number; });
}

// The index of the thread with that number; no_thread if there is none.
std::uint32_t LiveTables::thread_of(std::uint32_t number) const {
  const auto& threads = counters_.threads;
  const auto found = std::lower_bound(
      threads.begin(), threads.end(), number,
      [](const LiveThread& thread, std::uint32_t wanted) { return thread.number < wanted; });
  if (found == threads.end() || found->number != number) return no_thread;
  return static_cast<std::uint32_t>(found - threads.begin());
}

// Until now calls name the slot. It has one thread, or no thread is known.
void LiveTables::finish_calls() {
  std::map<std::uint32_t, std::uint32_t> owners;
  for (std::size_t i = 0; i < counters_.threads.size(); ++i) {
    const auto thread = static_cast<std::uint32_t>(i);
    const auto [owner, is_first] = owners.try_emplace(counters_.threads[i].slot, thread);
    if (!is_first) owner->second = no_thread;
  }
  for (LiveCall& call : counters_.calls) {
    const auto owner = owners.find(call.thread);
    call.thread = owner != owners.end() ? owner->second : no_thread;
  }
  sum_up(counters_.calls);
}

void LiveTables::finish_samples() {
  for (auto& [slot, table] : samples_) {
    for (LiveSample& sample : table.entries) {
      sample.thread = thread_of(sample.thread);
      counters_.samples.push_back(sample);
    }
    table.entries = {};
  }
  sum_up(counters_.samples);
}

std::optional<std::size_t> LiveTables::stack_of(StackNumber number) const {
  const std::pair wanted{number, std::size_t{0}};
  const auto found = std::lower_bound(stack_numbers_.begin(), stack_numbers_.end(), wanted);
  if (found == stack_numbers_.end() || found->first != number) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> LiveTables::wait_stack(StackNumber number) {
  const std::optional<std::size_t> stack = stack_of(number);
  if (!stack) return std::nullopt;
  std::vector<LiveStack>& stacks = counters_.wait_stacks;
  const auto [known, is_new] =
      wait_stacks_.try_emplace(*stack, static_cast<std::uint32_t>(stacks.size()));
  if (is_new) {
    const LiveStack& live = counters_.stacks[*stack];
    stacks.push_back({0, live.epoch, live.truncated, live.frames, {}, live.inferred_from});
  }
  return known->second;
}

void LiveTables::finish_waits() {
  for (auto& [slot, table] : waits_) {
    for (LiveWait& wait : table.entries) {
      const std::optional<std::uint32_t> stack = wait_stack({slot, wait.stack});
      if (!stack) continue;
      wait.stack = *stack;
      wait.thread = thread_of(wait.thread);
      std::uint64_t& sum = counters_.wait_stacks[*stack].count;
      sum = saturating_add(sum, wait.count);
      counters_.waits.push_back(wait);
    }
    table.entries = {};
  }
  for (const auto& [slot, table] : wait_holders_) {
    for (const HolderCount& entry : table.entries) {
      const std::optional<std::uint32_t> stack = wait_stack({slot, entry.stack});
      const std::optional<std::uint32_t> holder =
          wait_stack({entry.holder_slot, entry.holder_stack});
      if (!stack || !holder) continue;
      counters_.wait_holders.push_back(
          {*stack, known_wait_kind(entry.kind), *holder, entry.count, entry.times});
    }
  }
}

void LiveTables::finish_crash() {
  if (crash_.state != static_cast<std::uint32_t>(CrashState::noted)) return;
  const std::optional<std::size_t> stack = stack_of({crash_.slot, crash_.stack});
  if (!stack) return;
  const LiveStack& live = counters_.stacks[*stack];
  counters_.crash =
      LiveCrash{.signal = crash_.signal,
                .code = crash_.code,
                .address = crash_.address,
                .thread = thread_of(crash_.thread),
                .stack = {0, live.epoch, live.truncated, live.frames, {}, live.inferred_from}};
}

void LiveTables::finish_stacks() {
  std::vector<LiveStack>& stacks = counters_.stacks;
  for (const auto& [slot, table] : stack_counts_) {
    for (const NumberedPart& counted : table.entries) {
      const std::optional<std::size_t> found = stack_of({slot, counted.stack});
      if (!found) continue;
      LiveStack& stack = stacks[*found];
      stack.count = saturating_add(stack.count, counted.part.count);
      stack.parts.push_back(
          {thread_of(counted.part.thread), counted.part.slice, counted.part.count});
    }
  }
  std::erase_if(stacks, [](const LiveStack& stack) { return stack.count == 0; });
}

template <typename Entry>
std::vector<Entry>* LiveTables::table_of(std::map<std::uint32_t, Newest<Entry>>& tables,
                                         const ChunkHeader& chunk) {
  const std::uint64_t edition = edition_of(chunk);
  if (edition == 0) return nullptr;
  Newest<Entry>& newest = tables[chunk.slot];
  if (edition <= newest.edition) return nullptr;
  newest.edition = edition;
  newest.entries.clear();
  return &newest.entries;
}

void LiveTables::add_threads(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  const auto add = [&](const ThreadRecord& record) {
    if (record.thread == 0) return;
    counters_.threads.push_back({.thread = record.thread,
                                 .slot = record.slot,
                                 .ended = record.ended != 0,
                                 .calls_before = record.calls_before,
                                 .calls = record.calls,
                                 .samples = record.samples,
                                 .signals = record.signals,
                                 .cpu_time = record.cpu_time,
                                 .number = version_ == 1 ? 0 : record.number,
                                 .start_time = record.start_time,
                                 .name = std::string(text_before_zero(record.name))});
  };
  for_each_entry<ThreadRecord>(
      payload, chunk.capacity, add,
      version_ == 1 ? version_1::thread_record_size : sizeof(ThreadRecord));
}

void LiveTables::add_calls(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  const ChunkKind kind = kind_of(chunk);
  const bool retired = kind == ChunkKind::retired_arcs || kind == ChunkKind::retired_through_arcs;
  const std::uint64_t count = retired ? chunk.used : chunk.capacity;
  const std::uint64_t epoch = retired ? epoch_of(chunk) : counters_.epoch;
  std::uint64_t& calls_of_slot = counters_.calls_of_slot[chunk.slot];
  const auto add = [&](const auto& entry) {
    if (!is_counted(entry)) return;
    LiveCall call{.epoch = epoch,
                  .from = entry.from,
                  .self = entry.self,
                  .thread = chunk.slot,  // until the threads are known
                  .count = entry.count};
    if constexpr (std::is_same_v<decltype(entry), const ThroughEntry&>) {
      call.is_via = true;
      call.profiled_caller = entry.profiled_caller;
      call.via = entry.via;
    }
    calls_of_slot = saturating_add(calls_of_slot, call.count);
    counters_.calls.push_back(call);
  };
  if (kind == ChunkKind::through_arcs || kind == ChunkKind::retired_through_arcs) {
    for_each_entry<ThroughEntry>(payload, count, add);
  } else {
    for_each_entry<CallEntry>(payload, count, add);
  }
  sum_up_many(counters_.calls, call_limit_);
}

void LiveTables::add_old_samples(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  using OldEntry = version_1::SampleEntry;
  for_each_entry<OldEntry>(payload, chunk.capacity, [&](const OldEntry& entry) {
    if (entry.count == 0) return;
    counters_.samples.push_back({.epoch = entry.epoch,
                                 .address = entry.address,
                                 .count = entry.count,
                                 .excess_variance = entry.excess_variance});
  });
  sum_up_many(counters_.samples, sample_limit_);
}

void LiveTables::add_samples(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  std::vector<LiveSample>* samples = table_of(samples_, chunk);
  if (samples == nullptr) return;
  const auto add = [&](const SampleEntry& entry) {
    if (entry.count == 0) return;
    samples->push_back(
        {.epoch = entry.epoch,
         .address = entry.address,
         .thread = entry.thread,
         .slice = joined_slice(entry.slice, slice_width_of(chunk), counters_.slice_width),
         .count = entry.count,
         .excess_variance = entry.excess_variance,
         // The process may just be adding to both.
         .kernel_count = std::min(entry.kernel_count, entry.count)});
  };
  for_each_entry<SampleEntry>(payload, chunk.capacity, add,
                              version_ == 2 ? version_2::sample_entry_size : sizeof(SampleEntry));
}

void LiveTables::add_stack_counts(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  std::vector<NumberedPart>* counts = table_of(stack_counts_, chunk);
  if (counts == nullptr) return;
  for_each_entry<StackCount>(payload, chunk.capacity, [&](const StackCount& entry) {
    if (entry.count == 0) return;
    const std::uint32_t slice =
        joined_slice(entry.slice, slice_width_of(chunk), counters_.slice_width);
    counts->push_back({entry.stack, {entry.thread, slice, entry.count}});
  });
}

void LiveTables::add_waits(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  std::vector<LiveWait>* waits = table_of(waits_, chunk);
  if (waits == nullptr) return;
  for_each_entry<WaitCount>(payload, chunk.capacity, [&](const WaitCount& entry) {
    if (entry.count == 0) return;
    waits->push_back(
        {.stack = entry.stack,
         .function = entry.function,
         .kind = known_wait_kind(entry.kind),
         .thread = entry.thread,
         .slice = joined_slice(entry.slice, slice_width_of(chunk), counters_.slice_width),
         .count = entry.count,
         .times = entry.times,
         .longest = entry.longest});
  });
}

void LiveTables::add_wait_holders(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  std::vector<HolderCount>* holders = table_of(wait_holders_, chunk);
  if (holders == nullptr) return;
  for_each_entry<HolderCount>(payload, chunk.capacity, [&](const HolderCount& entry) {
    if (entry.count != 0) holders->push_back(entry);
  });
}

// A process has one chunk of them.
void LiveTables::add_wait_functions(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  std::string_view names(reinterpret_cast<const char*>(payload.data()),
                         std::min<std::uint64_t>(chunk.used, payload.size()));
  counters_.wait_functions.clear();
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find('\0'));
    counters_.wait_functions.emplace_back(name);
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
}

void LiveTables::add_stacks(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  payload = payload.first(std::min<std::uint64_t>(chunk.used, payload.size()));
  const std::size_t record_size =
      version_ == 1 ? version_1::stack_record_size : sizeof(StackRecord);
  while (payload.size() >= record_size) {
    const auto record = EntryView(payload.first(record_size)).as<StackRecord>();
    payload = payload.subspan(record_size);
    constexpr std::size_t frame_size = sizeof(std::uint64_t);
    if (record.depth == 0 || record.depth > payload.size() / frame_size) return;
    LiveStack stack{record.count, record.epoch, record.truncated != 0, {}, {}, 0};
    if (version_ != 1) stack.inferred_from = record.inferred_from;
    stack.frames.reserve(record.depth);
    for_each_entry<std::uint64_t>(payload, record.depth,
                                  [&](std::uint64_t frame) { stack.frames.push_back(frame); });
    payload = payload.subspan(record.depth * frame_size);
    if (version_ == 1 && stack.count == 0) continue;
    stack_numbers_.push_back({{chunk.slot, record.number}, counters_.stacks.size()});
    counters_.stacks.push_back(std::move(stack));
  }
}

void LiveTables::add_module(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  // While the record is being filled, it is not in use.
  if (chunk.used == 0 || payload.size() < sizeof(ModuleRecord)) return;
  const auto record = EntryView(payload).as<ModuleRecord>();
  if (record.low >= record.high) return;
  LiveModule module;
  module.bias = record.bias;
  module.low = record.low;
  module.high = record.high;
  module.text_low = record.text_low;
  module.text_high = record.text_high;
  module.init_address = record.init_address;
  module.load_epoch = record.load_epoch;
  module.unload_epoch = record.unload_epoch;
  module.flags = record.flags;
  const auto build_id = std::as_bytes(std::span(record.build_id));
  const auto build_id_end =
      build_id.begin() + std::min<std::size_t>(record.build_id_size, build_id.size());
  module.build_id.assign(build_id.begin(), build_id_end);
  module.soname = text_before_zero(record.soname);
  module.path = text_before_zero(record.path);
  counters_.modules.push_back(std::move(module));
}

void LiveTables::add_block_counts(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  constexpr std::size_t counts = offsetof(BlockPage, counts);
  const auto low = EntryView(payload).at<std::uint64_t>(offsetof(BlockPage, low));
  if (payload.size() < counts || low % block_granule != 0) return;
  std::uint64_t address = low;
  for_each_entry<std::uint64_t>(
      payload.subspan(counts), block_page_span / block_granule, [&](std::uint64_t count) {
        if (count != 0) counters_.block_counts.push_back({epoch_of(chunk), address, count});
        address += block_granule;
      });
  sum_up_many(counters_.block_counts, block_limit_);
}

void LiveTables::add_block_places(const ChunkHeader& chunk, std::span<const std::byte> payload) {
  for_each_entry<BlockAddress>(payload, chunk.used, [&](const BlockAddress& place) {
    if (place.call == 0) return;
    counters_.block_places.push_back({epoch_of(chunk), place.call, place.returns_to});
  });
}

}  // namespace gprof
