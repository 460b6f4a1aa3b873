// Functions of libc that the shared library interposes and calls through next_symbol(), which a
// static program does not have.
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <pthread.h>
#include <threads.h>

#include "runtime/process/lifecycle.h"
#include "runtime/process/lock.h"
#include "runtime/process/next_calls.h"
#include "runtime/process/thread_state.h"
#include "runtime/sampling/crash_note.h"
#include "runtime/system/dynamic_symbols.h"
#include "runtime/system/seccomp_filter.h"
#include "runtime/system/syscalls.h"
#include "runtime/unwind/current_registers.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

template <typename Function>
Function* next_function(const char* name, Function** known) {
  using gprof_runtime::next_symbol;
  Function* function = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (function == nullptr) {
    function = reinterpret_cast<Function*>(next_symbol(name));
    __atomic_store_n(known, function, __ATOMIC_RELEASE);
  }
  return function;
}

// What a new thread runs; allocated by pthread_create(), released by the thread.
struct Start {
  void* routine;  // void* (*)(void*), or C11's int (*)(void*)
  void* argument;
  const gprof_runtime::seccomp::Filter* filters;
};

// For threads created under a system call filter, where malloc() might make a call that the program
// itself does not.
struct Reserve {
  Start starts[64];
  std::uint32_t in_use[64];
};
Reserve reserve;

Start* make_start() {
  if (__atomic_load_n(&gprof_runtime::sys::filters_in_force, __ATOMIC_RELAXED) == 0) {
    return static_cast<Start*>(__builtin_malloc(sizeof(Start)));
  }
  for (std::size_t i = 0; i < sizeof reserve.in_use / sizeof *reserve.in_use; ++i) {
    if (__atomic_exchange_n(&reserve.in_use[i], 1, __ATOMIC_ACQUIRE) == 0) {
      return &reserve.starts[i];
    }
  }
  return nullptr;
}

void give_back(Start* start) {
  const auto index = static_cast<std::size_t>(start - reserve.starts);
  const bool is_reserved =
      start >= reserve.starts && index < sizeof reserve.in_use / sizeof(std::uint32_t);
  if (!is_reserved) return __builtin_free(start);
  __atomic_store_n(&reserve.in_use[index], 0, __ATOMIC_RELEASE);
}

// Threads are sampled from their start, not from their first counted call.
Start begin_thread(void* memory) {
  const Start start = *static_cast<Start*>(memory);
  give_back(static_cast<Start*>(memory));
  gprof_runtime::seccomp::inherit(start.filters);
  if (gprof_runtime::is_active()) gprof_runtime::acquire_thread();
  return start;
}

void* run_thread(void* memory) {
  const Start start = begin_thread(memory);
  return reinterpret_cast<void* (*)(void*)>(start.routine)(start.argument);
}

int run_c11_thread(void* memory) {
  const Start start = begin_thread(memory);
  return reinterpret_cast<int (*)(void*)>(start.routine)(start.argument);
}

// Libraries make threads in their constructors, which run before ours; they are sampled as well.
bool wants_to_see_thread() {
  gprof_runtime::load_once();
  return gprof_runtime::is_active();
}

// One of libc's functions that make threads.
template <typename Function>
struct ThreadMaker {
  const char* name;
  Function* found;  // when the library was loaded; null: the process had no threads then
  Function* next;   // once a thread was asked for
};

using CreateThread = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
ThreadMaker<CreateThread> posix_maker = {"pthread_create", nullptr, nullptr};
using CreateC11Thread = int(thrd_t*, thrd_start_t, void*);
ThreadMaker<CreateC11Thread> c11_maker = {"thrd_create", nullptr, nullptr};

template <typename Function>
Function* find_maker(const ThreadMaker<Function>& maker, gprof_runtime::Missing missing) {
  return reinterpret_cast<Function*>(gprof_runtime::thread_symbol(maker.name, missing));
}

// A program may ask for a thread before it has libpthread (before glibc 2.34), if it asks only
// where the function is there: this one always is. It gets what it asked for.
template <typename Function>
Function* next_of(ThreadMaker<Function>* maker) {
  Function* create = __atomic_load_n(&maker->next, __ATOMIC_ACQUIRE);
  if (create != nullptr) return create;
  create = __atomic_load_n(&maker->found, __ATOMIC_ACQUIRE);
  if (create == nullptr) create = find_maker(*maker, gprof_runtime::Missing::is_loaded);
  if (create == nullptr) return nullptr;
  gprof_runtime::prepare_for_threads();
  __atomic_store_n(&maker->next, create, __ATOMIC_RELEASE);
  return create;
}

template <typename Function>
void note_maker(ThreadMaker<Function>* maker) {
  Function* create = find_maker(*maker, gprof_runtime::Missing::stays);
  __atomic_store_n(&maker->found, create, __ATOMIC_RELEASE);
}

CreateThread* create_thread() { return next_of(&posix_maker); }
CreateC11Thread* create_c11_thread() { return next_of(&c11_maker); }

using CloseLibrary = int(void*);
CloseLibrary* next_dlclose = nullptr;

using Fork = pid_t();
Fork* next_Fork = nullptr;

using FailAssertion = void(const char*, const char*, unsigned, const char*);
FailAssertion* next_assert_fail = nullptr;

// Held while a library is closed and its counts are set aside. A library's destructor may close
// another one.
gprof_runtime::OwnedLock closing;

}  // namespace

void gprof_runtime::find_loader_calls() {
  next_function("dlclose", &next_dlclose);
  next_function("_Fork", &next_Fork);
  next_function("__assert_fail", &next_assert_fail);
  note_maker(&posix_maker);
  note_maker(&c11_maker);
}

GPROF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*routine)(void*), void* argument) {
  CreateThread* create = create_thread();
  if (create == nullptr) return ENOSYS;
  if (!wants_to_see_thread()) return create(thread, attributes, routine, argument);
  Start* start = make_start();
  if (start == nullptr) return create(thread, attributes, routine, argument);
  *start =
      Start{reinterpret_cast<void*>(routine), argument, gprof_runtime::seccomp::of_this_thread()};
  const int result = create(thread, attributes, run_thread, start);
  if (result != 0) give_back(start);
  return result;
}

// C11's, which libc does not make by way of pthread_create(); not in glibc before 2.28.
GPROF_EXPORT int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  CreateC11Thread* create = create_c11_thread();
  if (create == nullptr) return thrd_error;
  if (!wants_to_see_thread()) return create(thread, routine, argument);
  Start* start = make_start();
  if (start == nullptr) return create(thread, routine, argument);
  *start =
      Start{reinterpret_cast<void*>(routine), argument, gprof_runtime::seccomp::of_this_thread()};
  const int result = create(thread, run_c11_thread, start);
  if (result != thrd_success) give_back(start);
  return result;
}

GPROF_EXPORT int dlclose(void* library) {
  CloseLibrary* close = next_function("dlclose", &next_dlclose);
  if (!gprof_runtime::is_active()) return close(library);
  bool own = false;
  while (!closing.try_acquire(&own) && !own) gprof_runtime::sys::call(__NR_sched_yield);
  const int result = close(library);
  gprof_runtime::retire_unloaded_libraries();
  if (!own) closing.release();
  return result;
}

// fork() without its handlers; not in glibc before 2.34.
GPROF_EXPORT pid_t _Fork() {
  Fork* fork_now = next_function("_Fork", &next_Fork);
  if (fork_now == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  gprof_runtime::before_fork();
  const pid_t child = fork_now();
  if (child == 0) {
    gprof_runtime::after_fork_in_child();
  } else {
    gprof_runtime::after_fork_in_parent();
  }
  return child;
}

// Calls abort() inside libc, which does not see ours.
GPROF_EXPORT __attribute__((noreturn)) void __assert_fail(const char* assertion, const char* file,
                                                          unsigned line, const char* function) {
  gprof_runtime::sampler::note_abort(gprof_runtime::current_registers());
  gprof_runtime::finish(gprof_runtime::Ending::aborted, 0, true);
  next_function("__assert_fail", &next_assert_fail)(assertion, file, line, function);
  __builtin_trap();
}
