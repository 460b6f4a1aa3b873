/* Threads that are created, cancelled and end in several ways. */
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "random_program.h"

struct cancelled {
  sem_t running;
  sem_t never;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int ends[2];
  int how;
  int cleaned;
};

static void clean(void* argument) { ++((struct cancelled*)argument)->cleaned; }

static void unlock(void* argument) {
  struct cancelled* cancelled = argument;
  CHECK(pthread_mutex_unlock(&cancelled->mutex) == 0);
}

static void wait_to_be_cancelled(struct cancelled* cancelled) {
  const struct timespec long_time = {100000, 0};
  char byte;
  struct pollfd polled = {cancelled->ends[0], POLLIN, 0};
  switch (cancelled->how) {
    case 0:
      for (;;) sem_wait(&cancelled->never);
    case 1:
      pthread_mutex_lock(&cancelled->mutex);
      pthread_cleanup_push(unlock, cancelled);
      for (;;) pthread_cond_wait(&cancelled->condition, &cancelled->mutex);
      pthread_cleanup_pop(0);
      break;
    case 2:
      for (;;) nanosleep(&long_time, NULL);
    case 3:
      for (;;)
        if (read(cancelled->ends[0], &byte, 1) == 1) FAIL("read");
    case 4:
      for (;;) poll(&polled, 1, -1);
    case 5:
      for (;;) pause();
    case 6:
      for (;;) pthread_testcancel();
    case 7:
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
      for (volatile long i = 0;; ++i) continue;
    default:
      for (;;) usleep(100);
  }
}

static void* be_cancelled(void* argument) {
  struct cancelled* cancelled = argument;
  int old;
  pthread_cleanup_push(clean, cancelled);
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
  sem_post(&cancelled->running);
  for (volatile int i = 0; i < 1000; ++i) continue;
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
  wait_to_be_cancelled(cancelled);
  pthread_cleanup_pop(0);
  return NULL;
}

uint64_t cancel_action(struct worker* worker) {
  struct cancelled cancelled = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                                .condition = PTHREAD_COND_INITIALIZER};
  cancelled.how = (int)random_below(worker, 9);
  CHECK(sem_init(&cancelled.running, 0, 0) == 0 && sem_init(&cancelled.never, 0, 0) == 0);
  CHECK(pipe(cancelled.ends) == 0);
  pthread_t thread;
  void* result = NULL;
  CHECK(pthread_create(&thread, NULL, be_cancelled, &cancelled) == 0);
  if (random_below(worker, 2)) CHECK(RETRY(sem_wait(&cancelled.running)) == 0);
  if (random_below(worker, 2)) {
    const struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
  }
  /* Before the thread waits, or while it does. */
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  CHECK(cancelled.cleaned == 1);
  CHECK(pthread_mutex_trylock(&cancelled.mutex) == 0);
  CHECK(close(cancelled.ends[0]) == 0 && close(cancelled.ends[1]) == 0);
  return (uint64_t)cancelled.how;
}

struct short_thread {
  sem_t* ended;
  uint64_t number;
  int how;
};

static void* run_short(void* argument) {
  struct short_thread* own = argument;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < own->number; ++i) sum += i * i;
  own->number = sum;
  if (own->how == 1) {
    pthread_setname_np(pthread_self(), "short");
    sem_post(own->ended);
    return NULL;
  }
  if (own->how == 2) pthread_exit(own);
  return own;
}

uint64_t threads_action(struct worker* worker) {
  enum { most = 8 };
  struct short_thread own[most];
  pthread_t threads[most];
  sem_t* ended =
      malloc(sizeof *ended); /* a detached thread may use it when this function has returned */
  CHECK(sem_init(ended, 0, 0) == 0);
  const int count = 1 + (int)random_below(worker, most);
  int detached = 0;
  for (int i = 0; i < count; ++i) {
    own[i] =
        (struct short_thread){ended, random_below(worker, 20000), (int)random_below(worker, 3)};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (own[i].how == 1) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    CHECK(pthread_create(&threads[i], &attributes, run_short, &own[i]) == 0);
    pthread_attr_destroy(&attributes);
    detached += own[i].how == 1;
  }
  uint64_t sum = 0;
  for (int i = 0; i < detached; ++i) CHECK(RETRY(sem_wait(ended)) == 0);
  for (int i = 0; i < count; ++i) {
    void* result = NULL;
    if (own[i].how != 1) CHECK(pthread_join(threads[i], &result) == 0 && result == &own[i]);
    sum += own[i].number;
  }
  return sum;
}

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

struct data {
  int times;
};

static void destroy_data(void* value) {
  struct data* data = value;
  if (++data->times < 3) pthread_setspecific(key, data);
}

static void make_key(void) { CHECK(pthread_key_create(&key, destroy_data) == 0); }

static void* use_data(void* argument) {
  static __thread int local = 5;
  CHECK(local++ == 5 && pthread_getspecific(key) == NULL);
  CHECK(pthread_setspecific(key, argument) == 0);
  return NULL;
}

uint64_t thread_data_action(struct worker* worker) {
  (void)worker;
  struct data data = {0};
  pthread_t thread;
  CHECK(pthread_once(&key_once, make_key) == 0);
  CHECK(pthread_create(&thread, NULL, use_data, &data) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(data.times == 3);
  return 3;
}

static void* use_small_stack(void* argument) {
  volatile char room[2048];
  for (size_t i = 0; i < sizeof room; ++i) room[i] = (char)i;
  const struct timespec pause = {0, 100000};
  nanosleep(&pause, NULL);
  for (volatile int i = 0; i < 200000; ++i) continue;
  return room[100] == 100 ? argument : NULL;
}

uint64_t small_stack_action(struct worker* worker) {
  const size_t size = ((size_t)sysconf(_SC_THREAD_STACK_MIN) + 4095) / 4096 * 4096;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  char* stack = NULL;
  if (random_below(worker, 2)) {
    stack = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED && mprotect(stack + 4096, size, PROT_READ | PROT_WRITE) == 0);
    CHECK(pthread_attr_setstack(&attributes, stack + 4096, size) == 0);
  } else {
    CHECK(pthread_attr_setstacksize(&attributes, size) == 0);
  }
  /* Two signals of the program's own timers, one in the other, take more than this stack where the
     kernel saves wide registers. */
  sigset_t timers, before;
  sigemptyset(&timers);
  sigaddset(&timers, SIGALRM);
  sigaddset(&timers, SIGVTALRM);
  sigaddset(&timers, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &timers, &before);
  pthread_t thread;
  void* result = NULL;
  CHECK(pthread_create(&thread, &attributes, use_small_stack, &result) == 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  CHECK(pthread_join(thread, &result) == 0 && result == &result);
  pthread_attr_destroy(&attributes);
  if (stack != NULL) munmap(stack, size + 8192);
  return stack != NULL;
}

static int run_clone(void* argument) {
  *(volatile int*)argument = 6;
  syscall(SYS_exit, 9);
  return 0;
}

/* Processes that libc knows nothing of. */
uint64_t raw_clone_action(struct worker* worker) {
  static const size_t size = 65536;
  volatile int written = 0;
  int status = 0;
  pid_t child;
  switch (random_below(worker, 3)) {
    case 0: {
      char* stack =
          mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
      CHECK(stack != MAP_FAILED);
      child = clone(run_clone, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, (void*)&written);
      CHECK(child > 0 && RETRY(waitpid(child, &status, __WALL)) == child && written == 6);
      CHECK(munmap(stack, size) == 0);
      break;
    }
    case 1:
      child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
      if (child == 0) syscall(SYS_exit_group, 9);
      CHECK(child > 0 && RETRY(waitpid(child, &status, 0)) == child);
      break;
    default: {
      uint64_t arguments[11] = {0};
      arguments[4] = SIGCHLD;
      child = (pid_t)syscall(SYS_clone3, arguments, 64);
      if (child == 0) _exit(9);
      CHECK(child > 0 && RETRY(waitpid(child, &status, 0)) == child);
    }
  }
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
  return (uint64_t)status;
}

static void* be_cancelled_first(void* argument) {
  for (;;) pause();
  return argument;
}

/* The first cancellation loads a library and sets a handler, which libc does without a lock that
   fork() takes: children of a process that does so in another thread at that moment may hang or be
   killed. */
void prepare_threads(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, be_cancelled_first, NULL) == 0);
  CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
}
