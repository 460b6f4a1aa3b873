/* usage: random_program SEED [DEPTH]; with a third word, the program is one that an action started.
 */
#include "random_program.h"

#include <stdarg.h>

static const struct {
  action* run;
  int weight;
} actions[] = {{lock_action, 12},
               {nested_locks_action, 6},
               {read_lock_action, 6},
               {condition_action, 6},
               {semaphore_action, 4},
               {once_action, 1},
               {shared_memory_action, 1},
               {timed_lock_action, 3},
               {write_stream_action, 6},
               {read_stream_action, 6},
               {pipe_action, 4},
               {memory_stream_action, 2},
               {descriptors_action, 2},
               {socket_action, 2},
               {temporary_file_action, 1},
               {signal_action, 6},
               {queued_signals_action, 3},
               {wait_for_signal_action, 3},
               {jump_action, 4},
               {alternate_stack_action, 2},
               {fault_action, 3},
               {timer_action, 2},
               {interrupted_action, 3},
               {mask_action, 3},
               {descriptor_of_signals_action, 2},
               {cancel_action, 4},
               {threads_action, 3},
               {thread_data_action, 2},
               {small_stack_action, 2},
               {raw_clone_action, 1},
               {fork_action, 3},
               {vfork_action, 1},
               {spawn_action, 1},
               {shell_action, 1},
               {limits_action, 1},
               {closed_descriptors_action, 1},
               {execute_action, 1},
               {traced_action, 1},
               {filtered_action, 1},
               {killed_action, 1},
               {recursion_action, 3},
               {generated_code_action, 2},
               {coroutine_action, 2},
               {library_action, 1},
               {raw_calls_action, 2},
               {sort_action, 3},
               {memory_action, 3},
               {numbers_action, 3}};

enum { most_threads = 12, most_rounds = 3, most_actions = 10 };

static pthread_barrier_t barrier;
static int rounds;
static const char* debugged;

void fail(const char* file, int line, const char* format, ...) {
  char text[400];
  int size = snprintf(text, sizeof text,
                      "%s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
  va_list arguments;
  va_start(arguments, format);
  size += vsnprintf(text + size, sizeof text - size, format, arguments);
  va_end(arguments);
  text[size++] = '\n';
  if (write(2, text, size) < 0) _exit(98);
  _exit(99);
}

/* splitmix64, by Sebastiano Vigna, which is in the public domain. */
uint64_t random_below(struct worker* worker, uint64_t bound) {
  uint64_t z = worker->state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (z ^ z >> 31) % bound;
}

static action* chosen_action(struct worker* worker) {
  static int total;
  if (__atomic_load_n(&total, __ATOMIC_RELAXED) == 0) {
    int sum = 0;
    for (size_t i = 0; i < LENGTH(actions); ++i) sum += actions[i].weight;
    __atomic_store_n(&total, sum, __ATOMIC_RELAXED);
  }
  int at = (int)random_below(worker, total);
  size_t i = 0;
  while (at >= actions[i].weight) at -= actions[i++].weight;
  if (debugged) dprintf(2, "%d.%d action %zu\n", worker->depth, worker->number, i);
  return actions[i].run;
}

static void wait_for_others(void) {
  int result = pthread_barrier_wait(&barrier);
  if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD) FAIL("barrier: %d", result);
}

static uint64_t work(struct worker* worker) {
  uint64_t result = 0;
  for (int round = 0; round < rounds; ++round) {
    wait_for_others();
    for (int i = 1 + (int)random_below(worker, most_actions); i > 0; --i) {
      result = result * 31 + chosen_action(worker)(worker);
    }
  }
  return result;
}

static void* run_worker(void* argument) {
  struct worker* worker = argument;
  const int leaves_by_exit = random_below(worker, 3) == 0;
  uint64_t result = work(worker);
  worker->state = result;
  if (leaves_by_exit) pthread_exit(worker);
  return worker;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  struct worker workers[most_threads];
  struct worker* first = &workers[0];
  debugged = getenv("RANDOM_PROGRAM_DEBUG");
  *first = (struct worker){strtoull(words[1], NULL, 10), 0, count > 2 ? atoi(words[2]) : 0};
  const int threads = first->depth > 0 ? 1 + (int)random_below(first, 3)
                                       : 1 + (int)random_below(first, most_threads);
  rounds = 1 + (int)random_below(first, most_rounds);
  prepare_threads();
  prepare_locks(first);
  prepare_streams(first);
  prepare_signals(first);
  if (pthread_barrier_init(&barrier, NULL, threads) != 0) FAIL("barrier");
  pthread_t handles[most_threads];
  for (int i = 1; i < threads; ++i) {
    workers[i] = (struct worker){random_below(first, UINT64_MAX), i, first->depth};
    int error = pthread_create(&handles[i], NULL, run_worker, &workers[i]);
    if (error != 0) FAIL("pthread_create: %d", error);
  }
  uint64_t result = work(first);
  for (int i = 1; i < threads; ++i) {
    void* returned = NULL;
    int error = pthread_join(handles[i], &returned);
    if (error != 0 || returned != &workers[i]) FAIL("pthread_join: %d %p", error, returned);
    result = result * 31 + workers[i].state;
  }
  stop_timers();
  check_locks();
  result = result * 31 + check_streams();
  printf("%d threads, %d rounds: %016llx\n", threads, rounds, (unsigned long long)result);
  end_process(first, result);
}
