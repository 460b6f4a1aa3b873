// A timer interrupts a program that does a bit of everything, and each time our walk is compared
// with the compiler's.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "tests/support/delayed_signals.h"
#include "tests/support/skipped_tests.h"
#include "tests/unit/runtime/unwind_support.h"

using namespace gprof_runtime;
using namespace unwind_support;

namespace {

Walk ours;
Walk uncached;
Walk reference;
RuleCache cache;

struct Tally {
  int samples = 0;
  int complete = 0;
  int agree = 0;
  int further = 0;  // ours reached the end where the reference gave up
  int given_up = 0;
  std::uint64_t given_up_at = 0;
  int differ = 0;
  int cache_differs = 0;
  Agreement worst;
  std::uint64_t worst_pc = 0;
};
Tally tally;

timer_t timer;

void arm() {
  const itimerspec once = {{0, 0}, {0, 150'000}};
  timer_settime(timer, 0, &once, nullptr);
}

void sample(int, siginfo_t*, void* context) {
  const int saved_errno = errno;
  const Registers registers = registers_of(*static_cast<ucontext_t*>(context));
  walk_ours(registers, true, nullptr, &uncached);
  walk_ours(registers, true, &cache, &ours);
  ++tally.samples;
  if (ours.size != uncached.size ||
      !std::equal(ours.frames, ours.frames + ours.size, uncached.frames)) {
    ++tally.cache_differs;
  }
  if (!ours.complete) {
    // The reference trusts what it reads, and may crash where ours gives up.
    ++tally.given_up;
    tally.given_up_at = ours.frames[ours.size - 1].pc;
    arm();
    errno = saved_errno;
    return;
  }
  ++tally.complete;
  walk_reference(&reference);
  const Agreement agreement = compare(ours, reference);
  if (agreement.whole()) {
    ++tally.agree;
  } else if (agreement.starts && agreement.same == agreement.reference) {
    ++tally.further;
  } else {
    ++tally.differ;
    tally.worst = agreement;
    tally.worst_pc = registers.pc;
  }
  arm();
  errno = saved_errno;
}

#ifndef __clang__
[[gnu::optimize("omit-frame-pointer")]]  // with clang, the whole file is like that, or not
#endif
[[gnu::noinline]] int
without_frame_pointer(int depth) {
  volatile int block[9];
  block[depth % 9] = depth;
  return depth == 0 ? 1 : without_frame_pointer(depth - 1) + block[depth % 9];
}

[[gnu::noinline]] int realigned(int depth) {
  alignas(64) volatile int block[16];
  auto* const more =
      static_cast<volatile char*>(__builtin_alloca(static_cast<std::size_t>(depth % 7) * 32 + 16));
  more[0] = static_cast<char>(depth);
  block[depth % 16] = depth;
  return depth == 0 ? 1 : realigned(depth - 1) + block[depth % 16] + more[0];
}

int compare_numbers(const void* left, const void* right) {
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

[[gnu::noinline]] int throw_and_catch(int depth) {
  if (depth == 0) throw depth;
  return throw_and_catch(depth - 1) + 1;
}

int do_a_bit_of_everything(unsigned round) {
  std::vector<int> numbers(400);
  unsigned state = round;
  for (int& number : numbers) number = static_cast<int>((state = state * 1103515245 + 12345) >> 8U);
  std::vector<int> copy = numbers;
  std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_numbers);
  std::sort(copy.begin(), copy.end());
  char text[512];
  int total = std::snprintf(text, sizeof text, "%d %s %f", numbers[7], "text", round * 0.5);
  std::memmove(text + 100, text, 300);
  std::string string(text);
  for (int i = 0; i < 20; ++i) string += std::to_string(i * total);
  total += without_frame_pointer(12) + realigned(12) + static_cast<int>(string.size());
  try {
    total += throw_and_catch(5);
  } catch (int depth) {
    total += depth;
  }
  return total;
}

}  // namespace

TEST_CASE("walks from random instructions agree with the compiler's unwinder") {
#if defined(DELAYS_SIGNALS)
  gprof::test::skip_test("the thread sanitizer delivers signals later than they come");
#else
  walk_reference(&reference);  // its one-time setup may need memory
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  REQUIRE(sigaction(SIGUSR2, &action, &before) == 0);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR2;
  REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  arm();
  const std::time_t end = std::time(nullptr) + 3;
  volatile int total = 0;
  for (unsigned round = 0; tally.samples < 4000 && std::time(nullptr) < end; ++round) {
    total = total + do_a_bit_of_everything(round) % 7;
  }
  timer_delete(timer);
  sigaction(SIGUSR2, &before, nullptr);

  INFO("samples " << tally.samples << ", worst at pc " << std::hex << tally.worst_pc << std::dec
                  << ": same " << tally.worst.same << " of ours " << tally.worst.ours
                  << " and the reference's " << tally.worst.reference << ", given up at "
                  << std::hex << tally.given_up_at);
  REQUIRE(tally.samples > 0);
  CHECK(tally.differ == 0);
  CHECK(tally.cache_differs == 0);
  // Compilers' tables are wrong for a few instructions: where functions realign the stack, and
  // where the compiler's own library enters an exception handler.
  CHECK(tally.complete + tally.given_up == tally.samples);
  CHECK(tally.given_up * 50 <= tally.samples);
  CHECK(tally.agree + tally.further == tally.complete);
#endif
}
