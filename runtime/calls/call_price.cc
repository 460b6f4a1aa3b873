#include "runtime/calls/call_price.h"

#include <sys/mman.h>
#include <time.h>

#include "runtime/calls/call_table.h"
#include "runtime/process/thread_state.h"
#include "runtime/system/syscalls.h"

// arch/*/price.S
extern "C" {
void gprof_runtime_price_counted(std::uint64_t count);
void gprof_runtime_price_plain(std::uint64_t count);
extern const char gprof_runtime_price_from[];
extern const char gprof_runtime_price_self[];
}

namespace gprof_runtime {
namespace {

constexpr std::uint64_t calls_a_round = 20000;
constexpr int rounds = 15;
constexpr std::uint64_t scratch_entries = 512;

std::uint64_t now() {
  struct timespec time {};
  sys::call(__NR_clock_gettime, CLOCK_MONOTONIC, sys::word(&time));
  constexpr std::uint64_t nanoseconds_a_second = 1000000000;
  return static_cast<std::uint64_t>(time.tv_sec) * nanoseconds_a_second +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Of several rounds the shortest: what came in between only ever adds.
struct ShortestRound {
  void (*calls)(std::uint64_t);
  std::uint64_t nanoseconds = ~std::uint64_t{0};

  void run() {
    const std::uint64_t begin = now();
    calls(calls_a_round);
    const std::uint64_t taken = now() - begin;
    if (taken < nanoseconds) nanoseconds = taken;
  }
};

}  // namespace

std::uint64_t measure_call_price() {
  // A table of its own, so that these calls are in no profile.
  constexpr std::size_t size = sizeof(ChunkHeader) + scratch_entries * sizeof(CallEntry);
  const sys::Result memory =
      sys::call(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(memory)) return 0;
  auto* scratch = reinterpret_cast<ChunkHeader*>(memory);
  scratch->capacity = scratch_entries;
  scratch->mask = (scratch_entries - 1) * sizeof(CallEntry);
  claim_call(scratch, reinterpret_cast<std::uint64_t>(gprof_runtime_price_from),
             reinterpret_cast<std::uint64_t>(gprof_runtime_price_self));
  ChunkHeader* own = current_calls;
  current_calls = scratch;
  ShortestRound counted{gprof_runtime_price_counted};
  ShortestRound plain{gprof_runtime_price_plain};
  // In turn: a processor that is slow for a while is so for both.
  for (int round = 0; round < rounds; ++round) {
    counted.run();
    plain.run();
  }
  current_calls = own;
  sys::call(__NR_munmap, memory, size);
  constexpr std::uint64_t picoseconds_a_nanosecond = 1000;
  if (counted.nanoseconds <= plain.nanoseconds) return 0;
  return (counted.nanoseconds - plain.nanoseconds) * picoseconds_a_nanosecond / calls_a_round;
}

}  // namespace gprof_runtime
