/* Threads that share streams, mutexes of every kind, conditions, semaphores and pipes, are cancelled,
   interrupted by handlers that jump, and fork. Without a race of its own. Arguments: a seed, and how
   often each thread does something. Prints what must be the same in every run. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { thread_count = 6, mutex_count = 4 };

static pthread_mutex_t mutexes[mutex_count];
static long under[mutex_count];
static mtx_t plain;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static FILE* stream;
static int ends[2];
static int times;
static unsigned first_seed;

struct Thread {
  unsigned seed;
  int number;
  long done;
};

static const struct timespec* soon(struct timespec* time) {
  clock_gettime(CLOCK_REALTIME, time);
  time->tv_nsec += 200000;
  if (time->tv_nsec >= 1000000000) {
    time->tv_nsec -= 1000000000;
    time->tv_sec++;
  }
  return time;
}

static void use_mutex(unsigned which, int how) {
  struct timespec time;
  pthread_mutex_t* mutex = &mutexes[which];
  const int result = how == 0   ? pthread_mutex_lock(mutex)
                     : how == 1 ? pthread_mutex_trylock(mutex)
                                : pthread_mutex_timedlock(mutex, soon(&time));
  if (result == 0) {
    under[which]++;
    if (which == 1) { /* recursive */
      pthread_mutex_lock(mutex);
      pthread_mutex_unlock(mutex);
    }
    pthread_mutex_unlock(mutex);
  } else if (result != EBUSY && result != ETIMEDOUT) {
    printf("mutex %u: %d\n", which, result);
  }
}

static void use_stream(unsigned how) {
  char some[40];
  char* line = NULL;
  size_t size = 0;
  if (how == 0 && fgets(some, sizeof some, stream) == NULL) rewind(stream);
  if (how == 1 && getline(&line, &size, stream) < 0) rewind(stream);
  if (how == 2 && fread(some, 3, 5, stream) == 0) rewind(stream);
  if (how == 3) {
    flockfile(stream);
    const int c = getc(stream);
    if (c != EOF) ungetc(c, stream);
    funlockfile(stream);
  }
  free(line);
}

static void* long_read(void* unused) {
  char byte;
  (void)!read(ends[0], &byte, 1);
  return unused;
}

static void cancel_one(void) {
  pthread_t thread;
  void* result = NULL;
  if (pthread_create(&thread, NULL, long_read, NULL) != 0) return;
  sched_yield();
  pthread_cancel(thread);
  pthread_join(thread, &result);
  if (result != PTHREAD_CANCELED) puts("not cancelled");
}

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
/* Under ThreadSanitizer, a child of a process with threads may wait for ever, with or without a collector: for
   a lock of the sanitizer's own, which another thread held at the fork. */
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
static const int forks = 0;
#else
static const int forks = 1;
#endif

static void fork_one(void) {
  int status = -1;
  if (!forks) return;
  const pid_t child = fork();
  if (child == 0) {
    use_mutex(3, 1);
    _exit(7);
  }
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) != 7) puts("another status");
}

static void do_something(struct Thread* self) {
  struct timespec time;
  const unsigned what = (unsigned)rand_r(&self->seed) % 64;
  if (what < 24) {
    use_mutex(what % mutex_count, (int)(what / mutex_count % 3));
  } else if (what < 36) {
    use_stream(what % 4);
  } else if (what < 42) {
    mtx_lock(&plain);
    mtx_unlock(&plain);
  } else if (what < 48) {
    if (what % 2 == 0) pthread_rwlock_rdlock(&rwlock);
    if (what % 2 == 1) pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  } else if (what < 52) {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
  } else if (what < 58) {
    pthread_mutex_lock(&mutexes[0]);
    if (what % 2 == 0) pthread_cond_broadcast(&condition);
    if (what % 2 == 1) pthread_cond_timedwait(&condition, &mutexes[0], soon(&time));
    pthread_mutex_unlock(&mutexes[0]);
  } else if (what < 61) {
    sem_post(&semaphore);
    sem_wait(&semaphore);
  } else if (what == 61) {
    cancel_one();
  } else if (what == 62 && self->done % 8 == 0) {
    fork_one();
  } else {
    time.tv_sec = 0;
    time.tv_nsec = 1000;
    nanosleep(&time, NULL);
  }
}

static void* run(void* argument) {
  struct Thread* self = (struct Thread*)argument;
  for (; self->done < times; ++self->done) do_something(self);
  return NULL;
}

/* A handler that jumps out of a read. */
static sigjmp_buf outside;
static void jump(int number) { siglongjmp(outside, number); }

static void* strike(void* thread) {
  usleep(2000);
  pthread_kill(*(pthread_t*)thread, SIGUSR1);
  return NULL;
}

static void jump_out(void) {
  volatile int jumps = 0;
  pthread_t self = pthread_self();
  pthread_t striker;
  char byte;
  signal(SIGUSR1, jump);
  for (volatile int i = 0; i < 5; ++i) {
    if (sigsetjmp(outside, 1) == 0) {
      pthread_create(&striker, NULL, strike, &self);
      (void)!read(ends[0], &byte, 1);
    } else {
      ++jumps;
    }
    pthread_join(striker, NULL);
  }
  printf("jumped %d times\n", jumps);
}

int main(int count, char** arguments) {
  pthread_t threads[thread_count];
  static struct Thread states[thread_count];
  pthread_mutexattr_t kind;
  first_seed = count > 1 ? (unsigned)atoi(arguments[1]) : 1;
  times = count > 2 ? atoi(arguments[2]) : 300;
  for (int i = 0; i < mutex_count; ++i) {
    static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, kinds[i]);
    pthread_mutex_init(&mutexes[i], &kind);
  }
  mtx_init(&plain, mtx_plain);
  pthread_spin_init(&spin, 0);
  sem_init(&semaphore, 0, 0);
  stream = tmpfile();
  for (int i = 0; i < 500; ++i) fprintf(stream, "%*d\n", 1 + i % 60, i);
  rewind(stream);
  if (pipe(ends) != 0) return 1;
  jump_out();
  for (int i = 0; i < thread_count; ++i) {
    states[i].number = i;
    states[i].seed = first_seed * 100 + (unsigned)i;
    pthread_create(&threads[i], NULL, run, &states[i]);
  }
  long done = 0;
  for (int i = 0; i < thread_count; ++i) {
    pthread_join(threads[i], NULL);
    done += states[i].done;
  }
  printf("done %ld\n", done);
  return 3;
}
