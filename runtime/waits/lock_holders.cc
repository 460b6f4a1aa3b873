#include "runtime/waits/lock_holders.h"

#include <pthread.h>

namespace gprof_runtime::waits::holders {

std::uint8_t contended[std::size_t{1} << entries_log] = {};

namespace {

static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0);
static_assert(offsetof(pthread_mutex_t, __data.__kind) == 16);

// Who writes an entry has the mutex; but several mutexes may share it.
struct Entry {
  std::uint64_t mutex;  // 0: being written
  std::uint32_t slot;
  std::uint32_t stack;
  std::uint32_t thread;  // of the kernel, as the mutex knows its owner
  std::uint32_t unused;
};
Entry entries[std::size_t{1} << entries_log];

// mtx_t is a pthread_mutex_t, too.
const pthread_mutex_t& mutex_at(std::uint64_t address) {
  return *reinterpret_cast<const pthread_mutex_t*>(address);
}

std::uint32_t owner_of(std::uint64_t mutex) {
  return static_cast<std::uint32_t>(
      __atomic_load_n(&mutex_at(mutex).__data.__owner, __ATOMIC_RELAXED));
}

// What the mutex's entry says, and of which thread; unknown if it is another one's.
Holder read_entry(std::uint64_t mutex, std::uint32_t* thread) {
  const Entry& entry = entries[index_of(mutex)];
  if (mutex == 0 || __atomic_load_n(&entry.mutex, __ATOMIC_ACQUIRE) != mutex) return {};
  const Holder holder = {1, __atomic_load_n(&entry.slot, __ATOMIC_RELAXED),
                         __atomic_load_n(&entry.stack, __ATOMIC_RELAXED)};
  *thread = __atomic_load_n(&entry.thread, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&entry.mutex, __ATOMIC_RELAXED) == mutex ? holder : Holder{};
}

}  // namespace

bool is_robust(std::uint64_t mutex) {
  constexpr int robust = 16;  // PTHREAD_MUTEX_ROBUST_NORMAL_NP, in every libc
  return (__atomic_load_n(&mutex_at(mutex).__data.__kind, __ATOMIC_RELAXED) & robust) != 0;
}

[[gnu::noinline]] void note(std::uint64_t mutex, const Holder& holder) {
  // The child of a fork() in a signal handler has another state than before it waited, or none.
  const ThreadState* own = current_thread();
  if (holder.known == 0 || own == nullptr || own->slot != holder.slot) return;
  Entry& entry = entries[index_of(mutex)];
  __atomic_store_n(&entry.mutex, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&entry.slot, holder.slot, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.stack, holder.stack, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.thread, own->record->thread, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.mutex, mutex, __ATOMIC_RELEASE);
}

Holder of(std::uint64_t mutex) {
  std::uint32_t thread = 0;
  const Holder holder = read_entry(mutex, &thread);
  // An address that was never noted may be no mutex, which is for libc to find.
  return holder.known != 0 && thread == owner_of(mutex) ? holder : Holder{};
}

Holder last(std::uint64_t mutex) {
  std::uint32_t thread = 0;
  const Holder holder = read_entry(mutex, &thread);
  const ThreadState* own = current_thread();
  return own != nullptr && thread != own->record->thread ? holder : Holder{};
}

void abandon() {
  for (std::uint8_t& one : contended) one = 0;
  for (Entry& entry : entries) entry = {};
}

}  // namespace gprof_runtime::waits::holders
