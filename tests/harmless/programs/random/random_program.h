/* A random program of threads, locks, streams, signals, forks and other things that programs do, of
   which all is a function of a seed: whatever the threads' order, it prints the same and ends in
   the same way.

   An action is a function that does something that may go wrong under a profiler, checks what came
   of it, and returns a number that depends on the worker's random numbers alone. Workers add up
   these numbers.

   What does not hold is printed by FAIL, and ends the process with status 99. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define FAIL(...) fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) FAIL("%s, errno %d", #condition, errno); \
  } while (0)
/* A call that the process's timers may interrupt, if it has any; nothing else may. */
#define RETRY(call)                                                                               \
  ({                                                                                              \
    long retry_result;                                                                            \
    do {                                                                                          \
      retry_result = (call);                                                                      \
      if (retry_result == -1 && errno == EINTR && !has_timers) FAIL("%s was interrupted", #call); \
    } while (retry_result == -1 && errno == EINTR);                                               \
    retry_result;                                                                                 \
  })

struct worker {
  uint64_t state; /* of the random numbers */
  int number;     /* 0: the main thread */
  int depth;      /* of the process: 0 is the one that was started */
};

extern int has_timers;
extern int has_libc_thread; /* which libc makes for timers, and which never ends */

_Noreturn void fail(const char* file, int line, const char* format, ...);

/* A number below `bound`, the next of the worker's. */
uint64_t random_below(struct worker* worker, uint64_t bound);

/* What all actions of a program share is made before its threads start. */
void prepare_locks(struct worker* worker);
void check_locks(void);
void prepare_streams(struct worker* worker);
uint64_t check_streams(void);
void prepare_signals(struct worker* worker);
void stop_timers(void);
void prepare_threads(void);

/* Whether it is so within 100 s. */
int await(int (*holds)(void*), void* of);
/* Sends `number` to the calling thread in a moment, and then again and again until stopped. */
timer_t start_thread_timer(int number);
void stop_thread_timer(timer_t timer);

typedef uint64_t action(struct worker*);

/* locks.c */
action lock_action, nested_locks_action, read_lock_action, condition_action, semaphore_action,
    once_action, shared_memory_action, timed_lock_action;
/* streams.c */
action write_stream_action, read_stream_action, pipe_action, memory_stream_action,
    descriptors_action, socket_action, temporary_file_action;
/* signals.c */
action signal_action, queued_signals_action, wait_for_signal_action, jump_action,
    alternate_stack_action, fault_action, timer_action, interrupted_action, mask_action,
    descriptor_of_signals_action;
/* threads.c */
action cancel_action, threads_action, thread_data_action, small_stack_action, raw_clone_action;
/* processes.c */
action fork_action, vfork_action, spawn_action, shell_action, limits_action,
    closed_descriptors_action, execute_action, traced_action, filtered_action, killed_action;
/* code.c */
action recursion_action, generated_code_action, coroutine_action, library_action, raw_calls_action,
    sort_action, memory_action, numbers_action;

/* fork(), but never while another thread is within the dynamic linker: a child of such a process
   may not open libraries. */
pid_t fork_process(void);
extern int is_forked; /* this process has libc's locks of timers as another thread left them */
void lock_linker(void);
void unlock_linker(void);

/* What a process may do that was forked by one with several threads, and shares its streams: the
   sum of some actions. */
uint64_t forked_work(struct worker* worker);

/* processes.c: ends the process as the worker's numbers say. */
_Noreturn void end_process(struct worker* worker, uint64_t result);

#endif
