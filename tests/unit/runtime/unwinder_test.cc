#include "runtime/unwind/unwinder.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/unwind/rule_cache.h"
#include "tests/support/skipped_tests.h"
#include "tests/support/test_seed.h"
#include "tests/unit/runtime/unwind_support.h"

using namespace gprof_runtime;
using namespace unwind_support;

namespace {

Walk ours;
Walk cached_again;
Walk reference;
RuleCache cache;

// The first frames differ in where in this function the walks started: compares the callers.
bool callers_agree(std::size_t at_least) {
  Walk callers = ours;
  std::copy(ours.frames + 1, ours.frames + ours.size, callers.frames);
  callers.size = ours.size - 1;
  if (ours.left_signal_handler) callers.interrupted = ours.interrupted - 1;
  const Agreement agreement = compare(callers, reference);
  INFO("same " << agreement.same << ", ours " << agreement.ours << ", reference "
               << agreement.reference);
  CHECK(agreement.whole());
  CHECK(ours.size >= at_least);
  return agreement.whole();
}

[[gnu::noinline]] int descend(int depth) {
  volatile char bytes[48];
  bytes[0] = static_cast<char>(depth);
  if (depth == 0) {
    WALK_BOTH_WAYS(&ours, &reference, nullptr);
    return bytes[0];
  }
  return descend(depth - 1) + bytes[0];
}

[[gnu::noinline]] int descend_cached(int depth, Walk* walk) {
  volatile int value = depth;
  if (depth == 0) {
    WALK_BOTH_WAYS(walk, &reference, &cache);
    return value;
  }
  return descend_cached(depth - 1, walk) + value;
}

// The stack is realigned and grows by an amount known at run time: rules with expressions.
[[gnu::noinline]] int descend_realigned(int depth) {
  alignas(64) volatile int block[16];
  auto* const more =
      static_cast<volatile char*>(__builtin_alloca(static_cast<size_t>(depth) * 24 + 8));
  more[0] = 1;
  block[0] = depth;
  if (depth == 0) {
    WALK_BOTH_WAYS(&ours, &reference, &cache);
    return block[0];
  }
  return descend_realigned(depth - 1) + block[0] + more[0];
}

int walking_comparator(const void* left, const void* right) {
  WALK_BOTH_WAYS(&ours, &reference, &cache);
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

void walking_handler(int) { WALK_BOTH_WAYS(&ours, &reference, &cache); }

[[gnu::noinline]] int raise_in_here(int depth) {
  volatile int value = depth;
  if (depth == 0) {
    raise(SIGUSR1);
  } else {
    raise_in_here(depth - 1);
  }
  return value;
}

struct HandlerInstalled {
  explicit HandlerInstalled(int flags) {
    struct sigaction action = {};
    action.sa_handler = walking_handler;
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, &before);
  }
  ~HandlerInstalled() { sigaction(SIGUSR1, &before, nullptr); }
  struct sigaction before = {};
};

void* descend_in_thread(void*) {
  descend(20);
  return nullptr;
}

ucontext_t main_context;
ucontext_t coroutine_context;
void run_coroutine() {
  descend(10);
  swapcontext(&coroutine_context, &main_context);
}

}  // namespace

TEST_CASE("a walk from deep recursion finds every frame") {
  descend(1000);
  callers_agree(1002);
  CHECK(ours.complete);
}

TEST_CASE("a walk by cached rules is the same") {
  std::fill(std::begin(cache.rules), std::end(cache.rules), UnwindRule{});
  for (Walk* const walk : {&ours, &cached_again}) {
    descend_cached(50, walk);
  }
  CHECK(std::any_of(std::begin(cache.rules), std::end(cache.rules),
                    [](const UnwindRule& rule) { return rule.pc != 0; }));
  REQUIRE(ours.size == cached_again.size);
  CHECK(std::equal(ours.frames + 1, ours.frames + 51, cached_again.frames + 1));
  CHECK(cached_again.complete);
}

TEST_CASE("rules in the cache that are damaged or of another epoch are not used") {
  ucontext_t context;
  getcontext(&context);
  const Registers here = registers_of(context);
  const auto caller_of = [&here](std::uint64_t epoch) {
    Unwinder unwinder(here, false, &cache, epoch);
    REQUIRE(unwinder.step());
    return Frame{unwinder.pc(), unwinder.registers().sp()};
  };
  std::fill(std::begin(cache.rules), std::end(cache.rules), UnwindRule{});
  const Frame caller = caller_of(1);
  auto* const rule = std::find_if(std::begin(cache.rules), std::end(cache.rules),
                                  [](const UnwindRule& each) { return each.pc != 0; });
  REQUIRE(rule != std::end(cache.rules));
  const UnwindRule intact = *rule;
  for (int word = 0; word < 3; ++word) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      *rule = intact;
      rule->packed[word] ^= std::uint64_t{1} << bit;
      CHECK(caller_of(1) == caller);
    }
  }
  // A rule from another epoch is replaced, as its checksum shows.
  *rule = intact;
  CHECK(caller_of(2) == caller);
  CHECK(rule->pc == intact.pc);
  CHECK(rule->packed[2] != intact.packed[2]);
}

TEST_CASE("threads that write the same cache entry never read a mixture") {
  std::fill(std::begin(cache.rules), std::end(cache.rules), UnwindRule{});
  // Addresses that share the entry.
  std::vector<std::uint64_t> addresses = {1};
  const UnwindRule* const entry = rule_cache::entry_of(cache, 1);
  for (std::uint64_t address = 2; addresses.size() < 4; ++address) {
    if (rule_cache::entry_of(cache, address) == entry) addresses.push_back(address);
  }
  const auto rule_of = [](std::uint64_t address) {
    PackedRule rule;
    rule.cfa_offset = static_cast<std::int32_t>(address);
    rule.places = address << 8U;
    rule.more_places = static_cast<std::uint32_t>(address * 3);
    return rule;
  };
  std::atomic<std::uint64_t> found = 0;
  std::atomic<std::uint64_t> mixtures = 0;
  std::vector<std::thread> threads;
  for (const std::uint64_t own : addresses) {
    threads.emplace_back([&, own] {
      for (int i = 0; i < 300'000; ++i) {
        rule_cache::store(cache, own, 1, rule_of(own));
        for (const std::uint64_t address : addresses) {
          PackedRule rule;
          if (!rule_cache::find(cache, address, 1, &rule)) continue;
          ++found;
          const PackedRule expected = rule_of(address);
          if (rule.cfa_offset != expected.cfa_offset || rule.places != expected.places ||
              rule.more_places != expected.more_places) {
            ++mixtures;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found != 0);
  CHECK(mixtures == 0);
}

TEST_CASE("frames on a realigned stack are left") {
  for (int i = 0; i < 2; ++i) {
    descend_realigned(40);
    callers_agree(42);
    CHECK(ours.complete);
  }
}

TEST_CASE("a walk from qsort's comparator goes through libc to its caller") {
  int numbers[] = {3, 1, 2, 5, 4};
  std::qsort(numbers, 5, sizeof numbers[0], walking_comparator);
  callers_agree(4);
  CHECK(ours.complete);
}

TEST_CASE("a walk leaves a signal handler and goes on at the interrupted instruction") {
  const HandlerInstalled installed(0);
  raise_in_here(10);
  callers_agree(14);
  CHECK(ours.complete);
  CHECK(ours.left_signal_handler);
}

TEST_CASE("a walk leaves a signal handler that has a stack of its own") {
  const std::size_t size = 256 * std::size_t{1024};
  const auto memory = std::make_unique<char[]>(size);
  stack_t stack = {};
  stack.ss_sp = memory.get();
  stack.ss_size = size;
  stack_t before = {};
  REQUIRE(sigaltstack(&stack, &before) == 0);
  {
    const HandlerInstalled installed(SA_ONSTACK);
    raise_in_here(10);
  }
  sigaltstack(&before, nullptr);
  callers_agree(14);
  CHECK(ours.complete);
  CHECK(ours.left_signal_handler);
}

TEST_CASE("the caller's pc is told with where the stack holds it") {
  ucontext_t context;
  getcontext(&context);
  Unwinder unwinder(registers_of(context), false, nullptr, 0);
  CHECK(unwinder.return_slot() == 0);
  int slots = 0;
  while (unwinder.step()) {
    if (unwinder.return_slot() == 0) continue;
    CHECK(unwinder.return_slot() < unwinder.registers().sp() + (std::uint64_t{1} << 20U));
#if defined(__x86_64__)
    CHECK(*reinterpret_cast<std::uint64_t*>(unwinder.return_slot()) == unwinder.pc());
#endif
    CHECK(unwinder.pc_is_return_address());
    ++slots;
  }
  CHECK(slots >= 2);
}

TEST_CASE("a thread's walk ends at its start, complete") {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  const auto size = std::max(std::size_t{64} * 1024, static_cast<std::size_t>(PTHREAD_STACK_MIN));
  REQUIRE(pthread_attr_setstacksize(&attributes, size) == 0);
  pthread_t thread = {};
  REQUIRE(pthread_create(&thread, &attributes, descend_in_thread, nullptr) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  callers_agree(22);
  CHECK(ours.complete);
}

TEST_CASE("a walk stays on a coroutine's stack") {
  const std::size_t size = 256 * std::size_t{1024};
  const auto memory = std::make_unique<char[]>(size);
  getcontext(&coroutine_context);
  coroutine_context.uc_stack.ss_sp = memory.get();
  coroutine_context.uc_stack.ss_size = size;
  coroutine_context.uc_link = &main_context;
  makecontext(&coroutine_context, run_coroutine, 0);
  swapcontext(&main_context, &coroutine_context);
  REQUIRE(ours.size >= 12);
  const auto low = reinterpret_cast<std::uint64_t>(memory.get());
  for (std::size_t i = 0; i < ours.size; ++i) {
    CHECK(ours.frames[i].sp - low <= size);
  }
}

TEST_CASE("registers of any value end the walk") {
  std::mt19937_64 random(gprof::test_seed(20240501));
  ucontext_t context;
  getcontext(&context);
  const Registers good = registers_of(context);
  std::size_t steps = 0;
  for (int i = 0; i < 200000; ++i) {
    Registers registers = good;
    for (std::uint64_t& value : registers.general) {
      switch (random() % 4) {
        case 0:
          value = random();
          break;
        case 1:
          value = random() >> (random() % 64);
          break;
        case 2:
          value = good.sp() + random() % 4096 - 2048;
          break;
        default:
          break;
      }
    }
    const auto libc = reinterpret_cast<std::uint64_t>(&std::qsort);
    if (random() % 2 == 0) registers.pc = libc + random() % 4096;
    if (random() % 8 == 0) registers.pc = random();
    Unwinder unwinder(registers, random() % 2 == 0, &cache, 0);
    for (int frames = 0; frames < 100 && unwinder.step(); ++frames) ++steps;
  }
  CHECK(steps > 0);
}

TEST_CASE("a search reads nothing that another thread unmaps") {
  constexpr std::size_t page = 4096;
  constexpr int readable = PROT_READ | PROT_WRITE;
  auto* const stack = static_cast<std::uint8_t*>(
      mmap(nullptr, 5 * page, readable, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(stack != MAP_FAILED);
  std::atomic<bool> ended = false;
  // What follows the stack comes and goes.
  std::thread other([&] {
    while (!ended) {
      mprotect(stack + page, 4 * page, PROT_NONE);
      mprotect(stack + page, 4 * page, readable);
    }
  });
  Registers registers;
  registers.pc = reinterpret_cast<std::uint64_t>(&std::qsort);
  registers.general[stack_register] = reinterpret_cast<std::uint64_t>(stack + page - 64);
  std::size_t steps = 0;
  for (int i = 0; i < 20000; ++i) {
    Unwinder unwinder(registers, true, nullptr, 0);
    unwinder.doubt_rules();
    while (unwinder.step()) ++steps;
  }
  ended = true;
  other.join();
  munmap(stack, 5 * page);
  // There are no return addresses.
  CHECK(steps == 0);
}

#if defined(__x86_64__)
TEST_CASE("nothing is inferred beyond the limit of copies") {
  constexpr std::size_t frames = 64;
  constexpr std::size_t page = 4096;
  constexpr std::size_t call_length = 16;
  // Generated code, where calls through a register return to; no rules tell of it.
  auto* const code = static_cast<std::uint8_t*>(
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(code != MAP_FAILED);
  std::memset(code, 0x90, page);
  for (std::size_t i = 1; i <= frames; ++i) {
    code[call_length * i] = 0xff;
    code[call_length * i + 1] = 0xd0;
  }
  REQUIRE(mprotect(code, page, PROT_READ | PROT_EXEC) == 0);
  // Each frame holds its caller's frame pointer, and where it returns to.
  constexpr std::size_t frame_words = 4;
  std::vector<std::uint64_t> stack(frames * frame_words);
  for (std::size_t i = 0; i < frames; ++i) {
    const bool is_last = i + 1 == frames;
    stack[frame_words * i] =
        is_last ? 0 : reinterpret_cast<std::uint64_t>(&stack[frame_words * (i + 1)]);
    stack[frame_words * i + 1] = reinterpret_cast<std::uint64_t>(code + call_length * (i + 1) + 2);
  }
  constexpr std::size_t rbp = 6;
  Registers registers;
  registers.pc = reinterpret_cast<std::uint64_t>(code + call_length);
  registers.general[rbp] = registers.general[stack_register] =
      reinterpret_cast<std::uint64_t>(stack.data());
  struct Walked {
    std::uint32_t steps = 0;
    std::uint32_t copies = 0;
  };
  const auto walk = [&](std::uint32_t most_copies) {
    Unwinder unwinder(registers, true, nullptr, 0);
    unwinder.limit_copies(most_copies);
    Walked walked;
    while (walked.steps < frames && unwinder.step()) ++walked.steps;
    walked.copies = unwinder.copies();
    return walked;
  };
  const Walked whole = walk(100'000);
  CHECK(whole.steps > frames / 2);
  CHECK(whole.copies > frames / 2);
  const Walked none = walk(0);
  CHECK(none.steps == 0);
  CHECK(none.copies == 0);
  // The last step may take some more.
  const Walked half = walk(whole.copies / 2);
  CHECK(half.steps > 0);
  CHECK(half.steps < whole.steps * 3 / 4);
  CHECK(half.copies < whole.copies * 3 / 4);
  munmap(code, page);
}
#endif

TEST_CASE("a copy of memory is read in both directions, to the ends of the mapping") {
  std::uint64_t own = 0;
  std::uint8_t bytes[sizeof own];
  // qemu does not.
  if (!copy_memory(reinterpret_cast<std::uint64_t>(&own), sizeof own, bytes)) {
    return gprof::test::skip_test("process_vm_readv is not supported");
  }
  constexpr std::uint64_t page = 4096;
  auto* const pages = static_cast<std::uint8_t*>(
      mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(pages + page, page, PROT_READ | PROT_WRITE) == 0);
  const auto begin = reinterpret_cast<std::uint64_t>(pages + page);
  for (std::uint64_t i = 0; i < page; i += 8) {
    std::memcpy(pages + page + i, &i, sizeof i);
  }
  MemoryCopy copy;
  ReadableMemory memory;
  memory.read_from(&copy);
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < page; i += 8) {
    REQUIRE(memory.read(begin + i, &value));
    REQUIRE(value == i);
  }
  CHECK_FALSE(memory.read(begin + page - 4, &value));
  CHECK_FALSE(memory.read(begin + page, &value));
  for (std::uint64_t i = page; i > 0; i -= 8) {
    REQUIRE(memory.read(begin + i - 8, &value));
    REQUIRE(value == i - 8);
  }
  CHECK_FALSE(memory.read(begin - 8, &value));
  CHECK_FALSE(memory.read(0, &value));
  munmap(pages, 3 * page);
}

TEST_CASE("a null pc is the outermost frame") {
  Registers registers;
  Unwinder unwinder(registers, true, nullptr, 0);
  CHECK_FALSE(unwinder.step());
  CHECK(unwinder.complete());
}
