#include "runtime/waits/cpu_waits.h"

#include "formats/sidecar.h"
#include "runtime/calls/count_call.h"
#include "runtime/sampling/clocks.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/small_file.h"
#include "runtime/system/vdso.h"
#include "runtime/waits/wait_tables.h"

namespace gprof_runtime::waits {
namespace {

// No function: it is beyond all names.
constexpr std::uint16_t no_function = 0xffff;

constexpr std::uint64_t unknown = ~std::uint64_t{0};

// The second number of the thread's schedstat.
std::uint64_t run_delay_of(std::uint32_t thread) {
  Text<64> path;
  path.add("/proc/self/task/").add(thread).add("/schedstat");
  char text[96];
  const std::size_t size = read_small_file(path.c_str(), text, sizeof text);
  if (size == 0) return unknown;
  std::size_t place = 0;
  while (place < size && text[place] != ' ') ++place;
  std::uint64_t delay = 0;
  for (++place; place < size && text[place] >= '0' && text[place] <= '9'; ++place) {
    delay = delay * 10 + static_cast<std::uint64_t>(text[place] - '0');
  }
  return delay;
}

struct Figures {
  std::uint64_t now;
  std::uint64_t delay;
  std::uint64_t cpu_time;
  std::uint64_t waited;
};

Figures read_figures(const ThreadState& thread) {
  // Longer than it takes: the thread lost its CPU between the clock and the accounts, which then do
  // not belong to one moment.
  constexpr std::uint64_t longest_undisturbed = 100'000;
  constexpr int attempts = 4;
  const std::uint32_t number = number_of_running(thread);
  const ThreadWaits& waits = thread.waits;
  Figures read = {};
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::uint64_t begun = monotonic_time();
    read.delay = run_delay_of(number);
    read.cpu_time = sampler::read_clock(sampler::cpu_clock_of(number));
    read.waited = __atomic_load_n(&waits.cpu.measured, __ATOMIC_RELAXED) +
                  __atomic_load_n(&waits.counted_open, __ATOMIC_RELAXED);
    read.now = monotonic_time();
    if (read.delay == unknown || read.now - begun < longest_undisturbed) break;
  }
  return read;
}

// From now on, what is new is counted from these figures. Without an account of the kernel's there
// is none here: the program may have left /proc behind, or forbidden itself to open files.
void keep(const Figures& figures, CpuWaits& account) {
  account.delay = figures.delay;
  account.cpu_time = figures.cpu_time;
  account.waited = figures.waited;
  account.looked = figures.delay != unknown ? figures.now : 0;
}

void count_delay(ThreadState* counting, const ThreadState& thread, std::uint64_t delay,
                 std::uint64_t until) {
  const StackRecord* nowhere = sampler::find_placeless_stack(counting);
  if (nowhere == nullptr || delay == 0) return;
  const std::uint64_t from = thread.waits.cpu.looked;
  add_wait(counting, {.stack = nowhere->number,
                      .thread = thread.record->number,
                      .function = no_function,
                      .kind = static_cast<std::uint16_t>(WaitKind::cpu),
                      .waited = delay,
                      .ended = until,
                      .over = until > from ? until - from : 1});
}

void look(ThreadState* counting, ThreadState* thread, std::uint64_t waited, std::uint64_t until) {
  CpuWaits& account = thread->waits.cpu;
  const Figures now = read_figures(*thread);
  if (now.delay == unknown) return keep(now, account);
  // A clock that cannot be read any more is of a thread that has just ended.
  if (now.now == 0 || now.cpu_time < account.cpu_time || now.delay < account.delay) return;
  const std::uint64_t delay = now.delay - account.delay;
  const std::uint64_t elapsed = now.now - account.looked;
  const std::uint64_t known =
      delay + (now.cpu_time - account.cpu_time) + (now.waited - account.waited) + waited;
  const std::uint64_t excess = known > elapsed ? known - elapsed : 0;
  account.excess += excess;
  // Less than a hundredth may be due to the time that reading takes.
  account.pause = excess > elapsed / 128 ? short_pause : usual_pause;
  count_delay(counting, *thread, delay, until);
  keep(now, account);
  account.waited += waited;
}

}  // namespace

void begin_cpu_waits(ThreadState* thread) {
  CpuWaits& account = thread->waits.cpu;
  account = {};
  thread->waits.counted_open = 0;
  account.pause = short_pause;
  if (!settings().waits) return;
  keep(read_figures(*thread), account);
  account.begun = account.looked;
}

void look_at_cpu_waits(ThreadState* counting, ThreadState* thread, std::uint64_t waited,
                       std::uint64_t until) {
  CpuWaits& account = thread->waits.cpu;
  if (account.looked == 0 || __atomic_exchange_n(&account.in_use, 1, __ATOMIC_ACQUIRE) != 0) {
    return;
  }
  if (counting_enabled != 0) {
    look(counting, thread, waited, until);
  } else {
    keep(read_figures(*thread), account);
  }
  __atomic_store_n(&account.in_use, 0, __ATOMIC_RELEASE);
}

void look_at_sample(ThreadState* thread) {
  // As it returns from a call that blocked, whose time is not known before its end.
  if (thread->waits.open.begun != 0) return;
  const std::uint64_t now = monotonic_time();
  if (is_look_due(*thread, now)) look_at_cpu_waits(thread, thread, 0, now);
}

void look_at_end(ThreadState* thread) {
  // At most this fraction of the thread's lifetime goes without an account.
  constexpr std::uint64_t negligible_share = 256;
  const CpuWaits& account = thread->waits.cpu;
  if (account.looked == 0) return;
  const std::uint64_t now = monotonic_time();
  if (now - account.looked < (now - account.begun) / negligible_share) return;
  look_at_cpu_waits(thread, thread, 0, now);
}

}  // namespace gprof_runtime::waits
