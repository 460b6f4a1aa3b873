// The tables that calls are counted in: many arcs, many threads with a concurrent reader, and
// signal handlers that count while interrupting the counter.
#include "runtime/calls/call_table.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/time.h>

#include "runtime/storage/live_file.h"
#include "tests/support/delayed_signals.h"

namespace {

using namespace gprof_runtime;

using ArcCounts = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;

// Started once for all tests of this file, as in a process.
void start_storage() {
  static const bool started = [] {
    const bool begun = live::start();
    live::remove_file();
    return begun;
  }();
  REQUIRE(started);
}

// What a thread does, without the rest of the collector.
class Counter {
 public:
  explicit Counter(std::uint32_t slot) : slot_(slot) {}

  void count(std::uint64_t from, std::uint64_t self) {
    ChunkHeader* table = table_;
    CallEntry* entry = table != nullptr ? find_call(table, from, self) : nullptr;
    while (entry == nullptr) {
      table = table_;
      if (table == nullptr || is_half_full(*table)) {
        table = larger_call_table(slot_, table);
        table_ = table;
      }
      entry = claim_call(table, from, self);
    }
    count_one(&entry->count);
  }

  [[nodiscard]] ChunkHeader* table() const { return table_; }

 private:
  std::uint32_t slot_;
  ChunkHeader* volatile table_ = nullptr;
};

ArcCounts counts_of(std::uint32_t slot) {
  ArcCounts counts;
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    if (kind_of(*chunk) != ChunkKind::arcs || chunk->slot != slot) continue;
    CallEntry* entries = call_entries(chunk);
    for (std::uint64_t i = 0; i < chunk->capacity; ++i) {
      const std::uint64_t from = __atomic_load_n(&entries[i].from, __ATOMIC_RELAXED);
      const std::uint64_t self = __atomic_load_n(&entries[i].self, __ATOMIC_ACQUIRE);
      const std::uint64_t count = __atomic_load_n(&entries[i].count, __ATOMIC_RELAXED);
      if (from != 0 && self != 0 && count != 0) counts[{from, self}] += count;
    }
  }
  return counts;
}

std::uint64_t total_of(const ArcCounts& counts) {
  std::uint64_t total = 0;
  for (const auto& [arc, count] : counts) total += count;
  return total;
}

}  // namespace

TEST_CASE("runtime: tables grow and lose nothing") {
  start_storage();
  constexpr std::uint32_t slot = 1000;
  Counter counter(slot);
  ArcCounts expected;
  // Callees at regular distances from a few call sites, as in interpreters.
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t self = 0; self < 30000; ++self) {
      const std::uint64_t from = 0x555555554000 + self % 7 * 5;
      counter.count(from, 0x555555556009 + self * 16);
      ++expected[{from, 0x555555556009 + self * 16}];
    }
  }
  CHECK(counts_of(slot) == expected);
}

TEST_CASE("runtime: arcs at regular distances lie apart") {
  start_storage();
  // The mean number of places probed, for typical patterns: many callees of one site, many sites of
  // one callee, every pair of some.
  const auto mean_search = [](std::uint32_t slot, std::uint64_t sites, std::uint64_t callees,
                              std::uint64_t site_distance, std::uint64_t callee_distance) {
    Counter counter(slot);
    for (std::uint64_t from = 0; from < sites; ++from) {
      for (std::uint64_t self = 0; self < callees; ++self) {
        counter.count(0x401000 + from * site_distance, 0x7f0000001005 + self * callee_distance);
      }
    }
    const std::uint64_t mask = counter.table()->capacity - 1;
    std::uint64_t looked_at = 0;
    std::uint64_t arcs = 0;
    for (std::uint64_t i = 0; i <= mask; ++i) {
      const CallEntry& entry = call_entries(counter.table())[i];
      if (entry.from == 0) continue;
      looked_at += ((i - (call_hash(entry.from, entry.self) >> index_shift)) & mask) + 1;
      ++arcs;
    }
    return static_cast<double>(looked_at) / static_cast<double>(arcs);
  };
  CHECK(mean_search(1001, 1, 3000, 5, 16) < 2);
  CHECK(mean_search(1002, 1, 3000, 5, 32) < 2);
  CHECK(mean_search(1003, 3000, 1, 5, 16) < 2);
  CHECK(mean_search(1004, 3000, 1, 16, 16) < 2);
  CHECK(mean_search(1005, 100, 100, 7, 48) < 2);
  CHECK(mean_search(1006, 20, 2000, 12, 64) < 2);
}

TEST_CASE("runtime: a full table ends searches") {
  start_storage();
  ChunkHeader* table = larger_call_table(1010, nullptr);
  REQUIRE(table != nullptr);
  std::uint64_t self = 0x1000;
  while (claim_call(table, 0x2000, self) != nullptr) self += 16;
  CHECK(table->used < table->capacity);
  CHECK(find_call(table, 0x2000, self) == nullptr);
}

TEST_CASE("runtime: each thread counts into its own tables, and readers see them grow") {
  start_storage();
  constexpr std::uint32_t threads = 4;
  constexpr std::uint32_t first_slot = 2000;
  constexpr std::uint64_t rounds = 40;
  constexpr std::uint64_t arcs = 3000;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    std::uint64_t before = 0;
    bool grows = true;
    while (!done) {
      std::uint64_t total = 0;
      for (std::uint32_t i = 0; i < threads; ++i) total += total_of(counts_of(first_slot + i));
      grows = grows && total >= before;
      before = total;
    }
    CHECK(grows);
  });
  std::vector<std::thread> counting;
  for (std::uint32_t i = 0; i < threads; ++i) {
    counting.emplace_back([i] {
      Counter counter(first_slot + i);
      for (std::uint64_t round = 0; round < rounds; ++round) {
        for (std::uint64_t arc = 0; arc < arcs; ++arc) {
          counter.count(0x1000 + arc % 50 * 5, 0x9000 + arc * 16);
        }
      }
    });
  }
  for (std::thread& thread : counting) thread.join();
  done = true;
  reader.join();
  for (std::uint32_t i = 0; i < threads; ++i) {
    const ArcCounts counts = counts_of(first_slot + i);
    CHECK(counts.size() == arcs);
    CHECK(total_of(counts) == rounds * arcs);
  }
}

#ifndef DELAYS_SIGNALS
namespace {

Counter* interrupted_counter = nullptr;
std::uint64_t handled_calls = 0;

// Counts the arcs that the interrupted code counts, and new ones.
void count_in_handler(int /*signal*/) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    interrupted_counter->count(0x1000, 0x9000 + (handled_calls + i) % 5000 * 16);
  }
  handled_calls += 20;
}

}  // namespace

TEST_CASE("runtime: a handler that counts loses nothing of what it interrupts") {
  start_storage();
  constexpr std::uint32_t slot = 3000;
  Counter counter(slot);
  interrupted_counter = &counter;
  handled_calls = 0;
  struct sigaction action = {};
  action.sa_handler = count_in_handler;
  action.sa_flags = SA_RESTART;
  struct sigaction before = {};
  REQUIRE(sigaction(SIGVTALRM, &action, &before) == 0);
  const itimerval often = {{0, 100}, {0, 100}};
  REQUIRE(setitimer(ITIMER_VIRTUAL, &often, nullptr) == 0);
  std::uint64_t own = 0;
  // Until handlers have run often enough to hit every step.
  while (handled_calls < 4000) {
    for (std::uint64_t arc = 0; arc < 5000; ++arc) counter.count(0x1000, 0x9000 + arc * 16);
    own += 5000;
  }
  const itimerval never = {};
  setitimer(ITIMER_VIRTUAL, &never, nullptr);
  sigaction(SIGVTALRM, &before, nullptr);
  CHECK(total_of(counts_of(slot)) == own + handled_calls);
}
#endif
