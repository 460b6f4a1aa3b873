#include "runtime/calls/call_overhead.h"

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
constexpr int rounds = 15;  // an odd number
constexpr int most_attempts = 4;
constexpr std::uint64_t scratch_entries = 512;

std::uint64_t now() {
  struct timespec time {};
  sys::call(__NR_clock_gettime, CLOCK_MONOTONIC, sys::word(&time));
  constexpr std::uint64_t nanoseconds_a_second = 1000000000;
  return static_cast<std::uint64_t>(time.tv_sec) * nanoseconds_a_second +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::int64_t nanoseconds_of(void (*calls)(std::uint64_t)) {
  const std::uint64_t begin = now();
  calls(calls_a_round);
  return static_cast<std::int64_t>(now() - begin);
}

// How much longer counted calls take than plain ones. The two alternate, so that a processor that
// is slow or shared for a while affects both. Returns the median of several rounds: the minima of
// both kinds may come from different moments.
std::int64_t price_of_a_round() {
  std::int64_t prices[rounds];
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t counted = nanoseconds_of(gprof_runtime_price_counted);
    const std::int64_t price = counted - nanoseconds_of(gprof_runtime_price_plain);
    int place = round;
    for (; place > 0 && prices[place - 1] > price; --place) prices[place] = prices[place - 1];
    prices[place] = price;
  }
  return prices[rounds / 2];
}

}  // namespace

std::uint64_t measure_call_overhead() {
  // A separate table keeps these calls out of the profile.
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
  std::int64_t price = 0;
  for (int attempt = 0; attempt < most_attempts && price <= 0; ++attempt) {
    price = price_of_a_round();
  }
  current_calls = own;
  sys::call(__NR_munmap, memory, size);
  constexpr std::uint64_t picoseconds_a_nanosecond = 1000;
  if (price <= 0) return 0;
  return static_cast<std::uint64_t>(price) * picoseconds_a_nanosecond / calls_a_round;
}

}  // namespace gprof_runtime
