// Functions that not every version of libc has, or that a process has only with libpthread (before
// glibc 2.34). In the shared library they are looked up, so that it loads with any version.
//
// Thread contract: any thread, any signal handler, but for find_libc_functions().
#pragma once

#include <dlfcn.h>
#include <pthread.h>

namespace gprof_runtime {

struct LibcFunctions {
  // Null before glibc 2.35.
  int (*find_object)(void* address, struct dl_find_object* found);
  // Both null as long as the process cannot create threads.
  int (*key_create)(pthread_key_t* key, void (*at_thread_end)(void*));
  int (*set_specific)(pthread_key_t key, const void* value);
};

const LibcFunctions& libc_functions();

// False in a program of another C library than glibc, such as musl, which loads this library as
// well if LD_PRELOAD reaches it: then nothing is registered or collected, and every interposed
// function only calls the next one.
bool libc_is_glibc();

// Registrations that only glibc has; they fail (do nothing, a number other than 0) with another
// libc.
void register_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());
void register_at_quick_exit(void (*function)());
int register_on_exit(void (*function)(int status, void* argument), void* argument);

// Called at start, and again when the first thread is created. Not in signal handlers: takes locks.
void find_libc_functions();

}  // namespace gprof_runtime
