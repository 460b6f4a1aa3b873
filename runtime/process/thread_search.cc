#include "runtime/process/thread_search.h"

#include <cstddef>
#include <cstdint>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/process/thread_list.h"
#include "runtime/process/thread_state.h"
#include "runtime/process/thread_times.h"
#include "runtime/sampling/clocks.h"
#include "runtime/system/readable.h"
#include "runtime/system/syscalls.h"
#include "runtime/system/vdso.h"

namespace gprof_runtime {
namespace {

// A search takes some microseconds per thread: at most this part of the time goes into searches.
constexpr std::uint64_t least_pause_in_searches = 200;
// In nanoseconds: from one search to the next, and between looks at the number of threads.
constexpr std::uint64_t least_pause = 20'000'000;
constexpr std::uint64_t pause_in_looks = 4'000'000;
// A thread that was found too early, before libc has registered its list, is found again after so
// long, and after twice as long each time: a bare thread never has one.
constexpr std::uint64_t first_patience = 10'000'000;
constexpr std::uint64_t longest_patience = 1'280'000'000;

// When the collector begins, it waits so often for threads that have not run yet, a millisecond
// each time.
constexpr int most_looks_at_begin = 50;
// In nanoseconds: libc registers the list before a thread has run that long.
constexpr std::uint64_t time_to_register = 1'000'000;

// Written by the thread that has set `searching`.
struct State {
  std::uint32_t searching;
  std::int64_t others;  // threads after the last search, less those that have a state
  std::uint64_t next_look;
  std::uint64_t patience;    // with the same others
  std::uint64_t next_retry;  // 0: the others are new
};
State state;

// The numbers of the threads that have a state. Owns anonymous memory.
class KnownThreads {
 public:
  KnownThreads() {
    std::size_t threads = 0;
    each([&](std::uint32_t) { ++threads; });
    while (capacity_ < 2 * threads) capacity_ *= 2;
    const sys::Result memory = sys::call(__NR_mmap, 0, bytes(), PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sys::failed(memory)) return;
    numbers_ = reinterpret_cast<std::uint32_t*>(memory);
    // Threads may have got a state since they were counted: those beyond the room are left out, and
    // adopt_thread() knows them.
    std::size_t left = capacity_ / 2;
    each([&](std::uint32_t number) {
      if (left == 0) return;
      --left;
      numbers_[place_of(number)] = number;
    });
  }
  ~KnownThreads() {
    if (numbers_ != nullptr) sys::call(__NR_munmap, sys::word(numbers_), bytes());
  }
  KnownThreads(const KnownThreads&) = delete;
  KnownThreads& operator=(const KnownThreads&) = delete;

  [[nodiscard]] bool is_complete() const { return numbers_ != nullptr; }
  [[nodiscard]] bool has(std::uint32_t number) const {
    return numbers_[place_of(number)] == number;
  }

 private:
  template <typename Visit>
  static void each(const Visit& visit) {
    for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
      const std::uint32_t number = number_of_running(*thread);
      if (number != 0) visit(number);
    }
  }
  // The place that holds the number, or the free one to put it in.
  [[nodiscard]] std::size_t place_of(std::uint32_t number) const {
    constexpr std::size_t mixer = 0x9e3779b1;
    std::size_t place = number * mixer % capacity_;
    while (numbers_[place] != 0 && numbers_[place] != number) place = (place + 1) % capacity_;
    return place;
  }
  [[nodiscard]] long bytes() const { return static_cast<long>(capacity_ * sizeof(std::uint32_t)); }

  std::size_t capacity_ = 64;
  std::uint32_t* numbers_ = nullptr;
};

const robust_list_head* robust_list_of(std::uint32_t thread) {
  robust_list_head* head = nullptr;
  std::size_t size = 0;
  const sys::Result got =
      sys::call(__NR_get_robust_list, thread, sys::word(&head), sys::word(&size));
  return sys::failed(got) || size != sizeof *head ? nullptr : head;
}

// Whether libc made the thread: then its list is like that of the current thread, for which libc
// has registered one, too.
bool is_of_libc(std::uint32_t thread) {
  const robust_list_head* own = robust_list_of(0);
  const robust_list_head* other = robust_list_of(thread);
  if (own == nullptr || other == nullptr || own == other) return false;
  ReadableMemory memory;
  const auto offset = [&](const robust_list_head* head, std::uint64_t* into) {
    return memory.read(reinterpret_cast<std::uint64_t>(&head->futex_offset), into);
  };
  std::uint64_t own_offset = 0;
  std::uint64_t other_offset = 0;
  return offset(own, &own_offset) && offset(other, &other_offset) && own_offset == other_offset;
}

// The kernel counts the threads of a process as links of the directory, and two more. 0: unknown.
std::int64_t threads_of_process() {
  constexpr std::uint32_t links_of_a_directory = 2;
  struct stat facts {};
  const sys::Result read =
      sys::call(__NR_newfstatat, AT_FDCWD, sys::word(task_directory), sys::word(&facts), 0);
  if (sys::failed(read) || facts.st_nlink <= links_of_a_directory) return 0;
  return static_cast<std::int64_t>(facts.st_nlink) - links_of_a_directory;
}

std::int64_t threads_without_state() { return threads_of_process() - running_threads(); }

void search() {
  const std::uint64_t begun = monotonic_time();
  {
    const KnownThreads known;
    if (!known.is_complete()) return;
    each_thread([&](std::uint32_t number) {
      if (!known.has(number) && is_of_libc(number)) adopt_thread(number);
    });
  }
  const std::uint64_t ended = monotonic_time();
  const std::uint64_t pause = (ended - begun) * least_pause_in_searches;
  state.others = threads_without_state();
  state.next_look = ended + (pause > least_pause ? pause : least_pause);
}

// Whether there is a thread that libc may have made, and that has not had a processor to say so.
bool any_is_about_to_run() {
  bool found = false;
  each_thread([&](std::uint32_t number) {
    found = found || (robust_list_of(number) == nullptr &&
                      sampler::read_clock(sampler::cpu_clock_of(number)) < time_to_register);
  });
  return found;
}

// On a busy machine, a thread first runs late. To find it later takes a sample, and there is none
// if the thread that begins the collector does nothing but wait for the other one.
void search_until_all_have_run() {
  constexpr timespec millisecond = {0, 1'000'000};
  for (int look = 0; look < most_looks_at_begin && threads_without_state() != 0; ++look) {
    if (look != 0) sys::call(__NR_nanosleep, sys::word(&millisecond), 0);
    search();
    if (!any_is_about_to_run()) return;
  }
}

template <typename Work>
void search_alone(const Work& work) {
  if (__atomic_exchange_n(&state.searching, 1, __ATOMIC_ACQUIRE) != 0) return;
  work();
  __atomic_store_n(&state.searching, 0, __ATOMIC_RELEASE);
}

}  // namespace

void find_threads() {
  note_earlier_time();
  search_alone([] { search_until_all_have_run(); });
}

void find_new_threads() {
  const std::uint64_t now = monotonic_time();
  if (now == 0 || now < __atomic_load_n(&state.next_look, __ATOMIC_RELAXED)) return;
  search_alone([now] {
    state.next_look = now + pause_in_looks;
    const std::int64_t others = threads_without_state();
    if (others != state.others) {
      state.patience = first_patience;
    } else if (others == 0 || now < state.next_retry) {
      return;
    } else if (state.patience < longest_patience) {
      state.patience = state.patience == 0 ? first_patience : 2 * state.patience;
    }
    search();
    state.next_retry = now + state.patience;
  });
}

void abandon_thread_search() { state = {}; }

}  // namespace gprof_runtime
