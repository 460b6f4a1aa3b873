// What runs in place of the functions that wait while they are measured, and how the next function
// of each name is found.
//
// Arguments and results are passed on as the words that they are in registers: all are numbers or
// pointers. A function that is called while it is measured may never return, since its thread is
// cancelled or jumps out of a signal handler; so there is nothing to be undone after it.
//
// Thread contract: libc's.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <link.h>

#include "runtime/process/lifecycle.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/dynamic_symbols.h"
#include "runtime/system/loader.h"
#include "runtime/waits/lock_holders.h"
#include "runtime/waits/wait_log.h"
#include "runtime/waits/wait_syscalls.h"
#include "runtime/waits/waits.h"

// Jump targets of the entries in arch/. At first, each looks up its next function. While waits are
// measured, the entry of pthread_mutex_lock() handles free mutexes separately.
extern "C" {
[[gnu::visibility("hidden")]] extern void* gprof_runtime_wait_entries[];
[[gnu::visibility("hidden")]] extern void* gprof_runtime_free_mutex_entry;
[[gnu::visibility("hidden")]] extern void* gprof_runtime_taken_mutex_entry;
[[gnu::visibility("hidden")]] void gprof_runtime_lock_mutex();
[[gnu::visibility("hidden")]] void* gprof_runtime_find_wait_function(std::uint32_t number);
}

namespace gprof_runtime::waits {
namespace {

using Word = std::uint64_t;
template <std::size_t>
using WordAt = Word;

// Functions that are called, but not interposed.
enum class Helper : std::uint8_t {
  rwlock_tryrdlock,
  rwlock_trywrlock,
  spin_trylock,
  sem_trywait,
  testcancel,
  count,
};
constexpr const char* helper_names[] = {"pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock",
                                        "pthread_spin_trylock", "sem_trywait",
                                        "pthread_testcancel"};

struct State {
  void* next[table_size];  // null: not found yet
  void* helpers[static_cast<std::size_t>(Helper::count)];
  std::uint32_t measuring;
};
State state;

template <Function function, typename... Words>
[[gnu::always_inline]] inline Word call_next(Words... words) {
  return reinterpret_cast<Word (*)(Words...)>(state.next[number_of(function)])(words...);
}

template <Helper helper>
auto find_helper() {
  return reinterpret_cast<Word (*)(Word)>(state.helpers[static_cast<std::size_t>(helper)]);
}

int as_int(Word word) { return static_cast<int>(word); }

// In the function that an entry jumps to: where it was called from.
#define GPROF_PLACE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

template <Function function, typename... Words>
[[gnu::always_inline]] inline Word measure(WaitKind kind, std::uint64_t place, Words... words) {
  if (current_thread() == nullptr) return call_next<function>(words...);
  const Wait wait = begin_wait(function, kind, place);
  const Word result = call_next<function>(words...);
  end_wait(wait);
  return result;
}

// Any function of so many arguments.
template <typename Places>
struct MeasuredCall;
template <std::size_t... place>
struct MeasuredCall<std::index_sequence<place...>> {
  template <Function function>
  static Word call(WordAt<place>... words) {
    return measure<function>(facts_of(function).kind, GPROF_PLACE, words...);
  }
};
template <std::size_t arguments>
using Measured = MeasuredCall<std::make_index_sequence<arguments>>;

// Waiting for descriptors, of which argument `counted` says how many there are: without any, it is
// sleep.
template <typename Places, std::size_t counted>
struct PolledCall;
template <std::size_t... place, std::size_t counted>
struct PolledCall<std::index_sequence<place...>, counted> {
  template <Function function>
  static Word call(WordAt<place>... words) {
    const Word all[] = {words...};
    const WaitKind kind = all[counted] == 0 ? WaitKind::sleep : facts_of(function).kind;
    return measure<function>(kind, GPROF_PLACE, words...);
  }
};
template <std::size_t arguments>
using Poll = PolledCall<std::make_index_sequence<arguments>, 1>;
template <std::size_t arguments>
using Select = PolledCall<std::make_index_sequence<arguments>, 0>;

// fcntl() waits for one of its commands only, and so does lockf().
struct Control {
  template <Function function>
  static Word call(Word file, Word command, Word argument) {
    constexpr int wait_for_lock = 7;        // F_SETLKW
    constexpr int wait_for_file_lock = 38;  // F_OFD_SETLKW
    const bool waits = as_int(command) == wait_for_lock || as_int(command) == wait_for_file_lock;
    if (!waits) return call_next<function>(file, command, argument);
    return measure<function>(WaitKind::lock, GPROF_PLACE, file, command, argument);
  }
};
struct FileLock {
  template <Function function>
  static Word call(Word file, Word command, Word length) {
    constexpr int lock = 1;  // F_LOCK
    if (as_int(command) != lock) return call_next<function>(file, command, length);
    return measure<function>(WaitKind::lock, GPROF_PLACE, file, command, length);
  }
};

// What a thread has that was given a robust mutex whose owner died.
bool has_taken(Word result) { return as_int(result) == 0 || as_int(result) == EOWNERDEAD; }

extern void* const measuring_functions[table_size];

// From now on, it is noted who takes the mutex, even if that is free: until there is such a mutex,
// those that are free are left to libc by the entry itself, which a program that does nothing but
// lock and unlock would notice otherwise.
void mark_contended(Word mutex) {
  holders::mark(mutex);
  void* const measuring = measuring_functions[number_of(Function::pthread_mutex_lock)];
  if (__atomic_load_n(&gprof_runtime_free_mutex_entry, __ATOMIC_RELAXED) == measuring) return;
  __atomic_store_n(&gprof_runtime_free_mutex_entry, measuring, __ATOMIC_RELAXED);
}

[[gnu::always_inline]] inline void note_taken(Word mutex, std::uint64_t place) {
  if (holders::is_contended(mutex)) [[unlikely]]
    holders::note(mutex, current_place(place));
}

// A mutex that is free, and has never been waited for, is left to libc. Any other is tried first,
// which is as good as locking it: a try returns what the lock would return, unless the lock would
// wait or find that it would wait for itself. Only then is it measured. `try_function` is
// interposed, too, since it takes mutexes. Robust mutexes are not tried: one that is not
// recoverable would stay locked by that.
//
// The stack is walked before the mutex is taken: the first walk from a place allocates tables, and
// other threads would wait for that if this one held the mutex.
template <Function try_function, int busy>
struct TriedFirst {
  template <Function function>
  static Word wait_for(Word mutex, std::uint64_t place, std::uint64_t shortest, Holder self) {
    if (current_thread() == nullptr) return call_next<function>(mutex);
    mark_contended(mutex);
    if (self.known == 0) self = current_place(place);
    Holder holder = holders::of(mutex);
    const Wait wait = begin_wait(function, WaitKind::lock, place);
    const Word result = call_next<function>(mutex);
    const std::uint64_t ended = monotonic_time();
    if (has_taken(result) && holder.known == 0) holder = holders::last(mutex);
    // Publish the owner before counting, which takes longer.
    if (has_taken(result)) holders::note(mutex, self);
    end_wait_at(ended, wait, has_taken(result) ? shortest : shortest_wait, holder);
    return result;
  }

  template <Function function>
  [[gnu::noinline]] static Word take(Word mutex, std::uint64_t place) {
    if (state.next[number_of(try_function)] == nullptr) return call_next<function>(mutex);
    const bool is_robust = holders::is_robust(mutex);
    const Holder self = holders::is_contended(mutex) ? current_place(place) : Holder{};
    const Word result = is_robust ? static_cast<Word>(busy) : call_next<try_function>(mutex);
    if (as_int(result) == busy) {
      return wait_for<function>(mutex, place, is_robust ? shortest_wait : 1, self);
    }
    if (!has_taken(result)) return call_next<function>(mutex);
    holders::note(mutex, self);
    return result;
  }

  template <Function function>
  static Word call(Word mutex) {
    // Null is for libc to fault on.
    if (mutex == 0 || (holders::is_free(mutex) && !holders::is_contended(mutex))) [[likely]]
      return call_next<function>(mutex);
    return take<function>(mutex, GPROF_PLACE);
  }
};
using Mutex = TriedFirst<Function::pthread_mutex_trylock, EBUSY>;
constexpr int thread_busy = 1;  // thrd_busy
using PlainMutex = TriedFirst<Function::mtx_trylock, thread_busy>;

struct TriedMutex {
  template <Function function>
  static Word call(Word mutex) {
    const std::uint64_t place = GPROF_PLACE;
    const Word result = call_next<function>(mutex);
    if (has_taken(result)) note_taken(mutex, place);
    return result;
  }
};

// With a deadline, which may be refused even if the mutex is free.
template <typename Places>
struct TimedMutexCall;
template <std::size_t... place>
struct TimedMutexCall<std::index_sequence<place...>> {
  template <Function function>
  static Word call(Word mutex, WordAt<place>... words) {
    const std::uint64_t from = GPROF_PLACE;
    if (current_thread() == nullptr) return call_next<function>(mutex, words...);
    const Holder holder = holders::of(mutex);
    const Wait wait = begin_wait(function, WaitKind::lock, from);
    const std::uint64_t before = current_thread()->waits.recorded;
    const Word result = call_next<function>(mutex, words...);
    end_wait(wait, shortest_wait, holder);
    ThreadState* thread = current_thread();
    if (thread != nullptr && thread->waits.recorded != before) mark_contended(mutex);
    if (has_taken(result)) note_taken(mutex, from);
    return result;
  }
};
template <std::size_t arguments>
using TimedMutex = TimedMutexCall<std::make_index_sequence<arguments - 1>>;

// The thread has the mutex again afterwards, whatever came of it.
template <typename Places>
struct ConditionCall;
template <std::size_t... place>
struct ConditionCall<std::index_sequence<place...>> {
  template <Function function>
  static Word call(Word condition, Word mutex, WordAt<place>... words) {
    const std::uint64_t from = GPROF_PLACE;
    const Word result =
        measure<function>(facts_of(function).kind, from, condition, mutex, words...);
    note_taken(mutex, from);
    return result;
  }
};
template <std::size_t arguments>
using Condition = ConditionCall<std::make_index_sequence<arguments - 2>>;

// Locks without a known holder.
template <Helper helper>
struct Tried {
  template <Function function>
  [[gnu::noinline]] static Word wait_for(Word lock, std::uint64_t place) {
    if (current_thread() == nullptr) return call_next<function>(lock);
    const Wait wait = begin_wait(function, WaitKind::lock, place);
    const Word result = call_next<function>(lock);
    end_wait(wait, as_int(result) == 0 ? 1 : shortest_wait);
    return result;
  }

  template <Function function>
  static Word call(Word lock) {
    const std::uint64_t place = GPROF_PLACE;
    const auto try_lock = find_helper<helper>();
    if (try_lock == nullptr) return call_next<function>(lock);
    const Word result = try_lock(lock);
    if (as_int(result) == 0) [[likely]]
      return result;
    if (as_int(result) == EBUSY) return wait_for<function>(lock, place);
    return call_next<function>(lock);
  }
};

// A thread that was cancelled ends here even if it need not wait.
struct Semaphore {
  template <Function function>
  static Word call(Word semaphore) {
    const auto try_wait = find_helper<Helper::sem_trywait>();
    const auto test_cancel = find_helper<Helper::testcancel>();
    if (try_wait != nullptr && test_cancel != nullptr) {
      test_cancel(0);
      const int saved = errno;
      if (as_int(try_wait(semaphore)) == 0) return 0;
      errno = saved;
    }
    return measure<function>(facts_of(function).kind, GPROF_PLACE, semaphore);
  }
};

// Functions that read a stream. Most calls find what they ask for in its buffer, and none looks
// into the stream from here: another thread may be using it, and only libc knows whether the
// arguments are to be followed at all. So the clock is read around each call.
template <typename Places>
struct StreamCall;
template <std::size_t... place>
struct StreamCall<std::index_sequence<place...>> {
  template <Function function>
  static Word call(WordAt<place>... words) {
    const std::uint64_t from = GPROF_PLACE;
    if (current_thread() == nullptr) return call_next<function>(words...);
    const Wait wait = begin_wait(function, facts_of(function).kind, from);
    const Word result = call_next<function>(words...);
    end_wait_if_slept(wait);
    return result;
  }
};
template <std::size_t arguments>
using Stream = StreamCall<std::make_index_sequence<arguments>>;

void* const measuring_functions[table_size] = {
#define WAIT_FUNCTION(name, kind, measured) \
  reinterpret_cast<void*>(&measured::call<Function::name>),
#define WAIT_FUNCTION_AS(name, shown, kind, measured) WAIT_FUNCTION(name, kind, measured)
#include "runtime/waits/wait_functions.inc"
#undef WAIT_FUNCTION
#undef WAIT_FUNCTION_AS
};

// Locks that are tried before they are waited for: which function tries, and what measures a lock
// that must not be tried.
struct TriedLock {
  Function function;
  void* const* tried_by;
  void* untried;
};
template <Helper helper>
constexpr void* const* place_of = &state.helpers[static_cast<std::size_t>(helper)];
template <Function function>
constexpr void* const* next_of = &state.next[number_of(function)];

const TriedLock tried_locks[] = {
    {Function::pthread_mutex_lock, next_of<Function::pthread_mutex_trylock>,
     reinterpret_cast<void*>(&TimedMutex<1>::call<Function::pthread_mutex_lock>)},
    {Function::mtx_lock, next_of<Function::mtx_trylock>,
     reinterpret_cast<void*>(&TimedMutex<1>::call<Function::mtx_lock>)},
    {Function::pthread_rwlock_rdlock, place_of<Helper::rwlock_tryrdlock>,
     reinterpret_cast<void*>(&Measured<1>::call<Function::pthread_rwlock_rdlock>)},
    {Function::pthread_rwlock_wrlock, place_of<Helper::rwlock_trywrlock>,
     reinterpret_cast<void*>(&Measured<1>::call<Function::pthread_rwlock_wrlock>)},
    {Function::pthread_spin_lock, place_of<Helper::spin_trylock>,
     reinterpret_cast<void*>(&Measured<1>::call<Function::pthread_spin_lock>)},
    {Function::sem_wait, place_of<Helper::sem_trywait>,
     reinterpret_cast<void*>(&Measured<1>::call<Function::sem_wait>)},
};

bool is_of_libc(void* function) {
  struct dl_find_object found = {};
  if (function == nullptr) return false;
  const auto address = reinterpret_cast<std::uint64_t>(function);
  if (!ask_loader(address, &found) || found.dlfo_link_map == nullptr) return false;
  const char* const path = found.dlfo_link_map->l_name;
  const char* const slash = path != nullptr ? strrchr(path, '/') : nullptr;
  const char* const name = slash != nullptr ? slash + 1 : path;
  return name != nullptr &&
         (strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libpthread.so", 13) == 0 ||
          strncmp(name, "libc-2.", 7) == 0 || strncmp(name, "libpthread-2.", 13) == 0);
}

// Finds the newer of two versions of libc's function: conditions changed their layout in
// glibc 2.3.2, and older versions of libc find the older one by name alone. Functions of other
// libraries have no version.
void* find_next(const char* name, Missing missing) {
  void* const found = thread_symbol(name, missing);
#if defined(__x86_64__)
  if (strncmp(name, "pthread_cond_", 13) == 0 && is_of_libc(found)) {
    if (void* newer = versioned_symbol(name, "GLIBC_2.3.2"); newer != nullptr) return newer;
  }
#endif
  return found;
}

// Another library that interposes locks, too, must see the calls that the program makes, and no
// others: then nothing is tried.
void* measuring_function(std::uint32_t number) {
  for (const TriedLock& lock : tried_locks) {
    if (number_of(lock.function) != number) continue;
    if (!is_of_libc(state.next[number]) || !is_of_libc(*lock.tried_by)) return lock.untried;
  }
  return measuring_functions[number];
}

bool is_measuring() { return __atomic_load_n(&state.measuring, __ATOMIC_RELAXED) != 0; }

void set_entry(std::uint32_t number) {
  void* const next = state.next[number];
  if (next == nullptr) return;
  void* target = is_measuring() ? measuring_function(number) : next;
  void* const tried_mutex = measuring_functions[number_of(Function::pthread_mutex_lock)];
  if (target == tried_mutex) {
    // Until a mutex has been waited for, those that are free are left to libc at once.
    __atomic_store_n(&gprof_runtime_free_mutex_entry, next, __ATOMIC_RELAXED);
    __atomic_store_n(&gprof_runtime_taken_mutex_entry, tried_mutex, __ATOMIC_RELAXED);
    target = reinterpret_cast<void*>(&gprof_runtime_lock_mutex);
  }
  __atomic_store_n(&gprof_runtime_wait_entries[number], target, __ATOMIC_RELEASE);
}

void keep_next(std::uint32_t number, Missing missing) {
  if (state.next[number] != nullptr) return;
  void* found = find_next(function_facts[number].name, missing);
  __atomic_store_n(&state.next[number], found, __ATOMIC_RELEASE);
}

// For functions that this libc does not have.
Word refuse() {
  errno = ENOSYS;
  return ~Word{0};
}
Word refuse_with_error() { return ENOSYS; }

void write_names() {
  std::size_t size = 0;
  for (const FunctionFacts& facts : function_facts) size += __builtin_strlen(facts.shown) + 1;
  ChunkHeader* chunk = live::allocate(ChunkKind::wait_functions, 0, size, size);
  if (chunk == nullptr) return;
  char* to = live::entries<char>(chunk);
  for (const FunctionFacts& facts : function_facts) {
    for (const char* from = facts.shown; *from != '\0';) *to++ = *from++;
    *to++ = '\0';
  }
  __atomic_store_n(&chunk->used, size, __ATOMIC_RELEASE);
}

}  // namespace

void prepare() {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Helper::count); ++i) {
    state.helpers[i] = thread_symbol(helper_names[i], Missing::stays);
  }
  for (std::uint32_t i = 0; i < table_size; ++i) keep_next(i, Missing::stays);
  for (std::uint32_t i = 0; i < table_size; ++i) set_entry(i);
}

void start() {
  write_names();
  __atomic_fetch_or(&live::header()->flags, process_flags::with_waits, __ATOMIC_RELAXED);
  __atomic_store_n(&state.measuring, 1, __ATOMIC_RELAXED);
  for (std::uint32_t i = 0; i < table_size; ++i) set_entry(i);
}

void abandon() { holders::abandon(); }

bool measures_waits() { return is_measuring() && current_thread() != nullptr; }

}  // namespace gprof_runtime::waits

// Called by an entry whose function was not found yet; returns what it jumps to. May run before
// this library's constructor, and for functions that came with a library opened since then.
void* gprof_runtime_find_wait_function(std::uint32_t number) {
  using namespace gprof_runtime::waits;
  const int saved = errno;
  keep_next(number, gprof_runtime::Missing::is_loaded);
  set_entry(number);
  errno = saved;
  if (state.next[number] != nullptr) return gprof_runtime_wait_entries[number];
  const bool by_result = __builtin_strncmp(function_facts[number].name, "pthread_", 8) == 0;
  return by_result ? reinterpret_cast<void*>(&refuse_with_error) : reinterpret_cast<void*>(&refuse);
}
