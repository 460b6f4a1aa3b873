// Functions of libc that the shared library interposes and calls through next_symbol(), which a
// static program does not have.
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

#include "runtime/process/lifecycle.h"
#include "runtime/process/lock.h"
#include "runtime/process/next_calls.h"
#include "runtime/process/thread_state.h"
#include "runtime/system/dynamic_symbols.h"
#include "runtime/system/seccomp_filter.h"
#include "runtime/system/syscalls.h"

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
  void* (*routine)(void*);
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
void* run_thread(void* memory) {
  const Start start = *static_cast<Start*>(memory);
  give_back(static_cast<Start*>(memory));
  gprof_runtime::seccomp::inherit(start.filters);
  if (gprof_runtime::is_active()) gprof_runtime::acquire_thread();
  return start.routine(start.argument);
}

using CreateThread = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
CreateThread* found_pthread_create = nullptr;  // when the library was loaded
CreateThread* next_pthread_create = nullptr;

// A program may ask for a thread before it has libpthread (before glibc 2.34), if it asks only
// where the function is there: this one always is. It gets what it asked for.
CreateThread* create_thread() {
  CreateThread* create = __atomic_load_n(&next_pthread_create, __ATOMIC_ACQUIRE);
  if (create != nullptr) return create;
  create = __atomic_load_n(&found_pthread_create, __ATOMIC_ACQUIRE);
  if (create == nullptr) {
    create = reinterpret_cast<CreateThread*>(
        gprof_runtime::thread_symbol("pthread_create", gprof_runtime::Missing::is_loaded));
  }
  if (create == nullptr) return nullptr;
  gprof_runtime::prepare_for_threads();
  __atomic_store_n(&next_pthread_create, create, __ATOMIC_RELEASE);
  return create;
}

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
  auto* create = reinterpret_cast<CreateThread*>(
      gprof_runtime::thread_symbol("pthread_create", gprof_runtime::Missing::stays));
  __atomic_store_n(&found_pthread_create, create, __ATOMIC_RELEASE);
}

GPROF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*routine)(void*), void* argument) {
  CreateThread* create = create_thread();
  if (create == nullptr) return ENOSYS;
  if (!gprof_runtime::is_active()) return create(thread, attributes, routine, argument);
  Start* start = make_start();
  if (start == nullptr) return create(thread, attributes, routine, argument);
  *start = Start{routine, argument, gprof_runtime::seccomp::of_this_thread()};
  const int result = create(thread, attributes, run_thread, start);
  if (result != 0) give_back(start);
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
  gprof_runtime::finish(gprof_runtime::Ending::aborted, 0, true);
  next_function("__assert_fail", &next_assert_fail)(assertion, file, line, function);
  __builtin_trap();
}
