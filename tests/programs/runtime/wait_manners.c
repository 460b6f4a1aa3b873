/* Waits that end otherwise than by a return, and locks of every kind: what is printed must be the
   same with and without the collector. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void nap(long milliseconds) {
  struct timespec time = {0, milliseconds * 1000000L};
  while (nanosleep(&time, &time) != 0) {
  }
}

static void tell(const char* what, long value) {
  printf("%s: %ld\n", what, value);
  fflush(stdout);
}

/* Cancelled in each of several waits; its clean-up runs, and has the mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static pthread_t sleeper;

static void clean_up(void* name) { tell((const char*)name, pthread_mutex_trylock(&mutex)); }
static void unlock(void* unused) {
  (void)unused;
  tell("has the mutex", pthread_mutex_trylock(&mutex) == EBUSY);
  pthread_mutex_unlock(&mutex);
}

static void* sleep_long(void* unused) {
  sleep(100);
  return unused;
}

static void* wait_somewhere(void* place) {
  char byte;
  pthread_cleanup_push(clean_up, (void*)"cleans up");
  switch (*(int*)place) {
    case 0:
      if (read(ends[0], &byte, 1) < 0) abort();
      break;
    case 1:
      sem_wait(&semaphore);
      break;
    case 2:
      pthread_join(sleeper, NULL);
      break;
    case 3:
      sleep(100);
      break;
    default:
      pthread_mutex_lock(&mutex);
      pthread_cleanup_push(unlock, NULL);
      pthread_cond_wait(&condition, &mutex);
      pthread_cleanup_pop(1);
  }
  pthread_cleanup_pop(1);
  return NULL;
}

static void cancelled(void) {
  if (pipe(ends) != 0) abort();
  sem_init(&semaphore, 0, 0);
  pthread_create(&sleeper, NULL, sleep_long, NULL);
  for (int place = 0; place < 5; ++place) {
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, wait_somewhere, &place);
    nap(20);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    tell("is cancelled", result == PTHREAD_CANCELED);
    pthread_mutex_unlock(&mutex);
  }
  pthread_cancel(sleeper);
  pthread_join(sleeper, NULL);
}

/* sem_wait() ends a cancelled thread even if it need not wait. */
static void* wait_for_nothing(void* unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  sem_wait(&semaphore);
  return unused;
}

static void cancelled_at_once(void) {
  pthread_t thread;
  void* result = NULL;
  int value = 0;
  sem_init(&semaphore, 0, 1);
  pthread_create(&thread, NULL, wait_for_nothing, NULL);
  pthread_join(thread, &result);
  sem_getvalue(&semaphore, &value);
  tell("is cancelled", result == PTHREAD_CANCELED);
  tell("value", value);
}

static pthread_mutex_t mutex_of(int type, int robustness, int sharing) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t made;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  pthread_mutexattr_setpshared(&attributes, sharing);
  pthread_mutex_init(&made, &attributes);
  return made;
}

static pthread_mutex_t robust;
static volatile int is_taken;
static void* die_with_it(void* unused) {
  tell("takes it", pthread_mutex_lock(&robust));
  is_taken = 1;
  nap(20);
  return unused;
}

static void robustly(void) {
  pthread_t thread;
  robust = mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&thread, NULL, die_with_it, NULL);
  while (!is_taken) nap(1);
  const int first = pthread_mutex_lock(&robust); /* while the thread has it */
  tell("owner is dead", first == EOWNERDEAD);
  tell("made consistent", pthread_mutex_consistent(&robust));
  tell("unlocked", pthread_mutex_unlock(&robust));
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, die_with_it, NULL);
  pthread_join(thread, NULL);
  tell("owner is dead", pthread_mutex_lock(&robust) == EOWNERDEAD); /* at once */
  tell("unlocked", pthread_mutex_unlock(&robust));
  tell("not recoverable", pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
}

static void kinds_of_mutexes(void) {
  pthread_mutex_t recursive =
      mutex_of(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE);
  for (int i = 0; i < 3; ++i) tell("recursive", pthread_mutex_lock(&recursive));
  for (int i = 0; i < 4; ++i) tell("unlocked", pthread_mutex_unlock(&recursive));
  pthread_mutex_t checked =
      mutex_of(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE);
  tell("checked", pthread_mutex_lock(&checked));
  tell("deadlock", pthread_mutex_lock(&checked) == EDEADLK);
  tell("busy", pthread_mutex_trylock(&checked) == EBUSY);
  tell("unlocked", pthread_mutex_unlock(&checked));
  tell("not owned", pthread_mutex_unlock(&checked) == EPERM);
  const struct timespec invalid = {0, -1}, past = {1, 0};
  tell("taken, since it is free", pthread_mutex_timedlock(&mutex, &past));
  tell("late", pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
  tell("invalid", pthread_mutex_timedlock(&mutex, &invalid) == EINVAL);
  tell("unlocked", pthread_mutex_unlock(&mutex));
  sem_init(&semaphore, 0, 1);
  errno = 0;
  tell("semaphore", sem_timedwait(&semaphore, &invalid));
  tell("invalid", errno == EINVAL);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  tell("read", pthread_rwlock_rdlock(&lock));
  tell("read again", pthread_rwlock_rdlock(&lock));
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  tell("written", pthread_rwlock_wrlock(&lock));
  tell("deadlock", pthread_rwlock_wrlock(&lock) == EDEADLK);
  pthread_rwlock_unlock(&lock);
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  tell("spin", pthread_spin_lock(&spin));
  pthread_spin_unlock(&spin);
  mtx_t plain;
  mtx_init(&plain, mtx_recursive);
  tell("plain", mtx_lock(&plain) == thrd_success);
  tell("plain again", mtx_lock(&plain) == thrd_success);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 1);
  tell("barrier", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

/* A mutex and a counter that two processes share. */
static void between_processes(void) {
  struct {
    pthread_mutex_t mutex;
    long count;
  }* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared->mutex = mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_SHARED);
  shared->count = 0;
  const pid_t child = fork();
  for (int i = 0; i < 2000; ++i) {
    pthread_mutex_lock(&shared->mutex);
    const long before = shared->count;
    if (i % 100 == 0) nap(1);
    shared->count = before + 1;
    pthread_mutex_unlock(&shared->mutex);
  }
  if (child == 0) _exit(0);
  tell("child", waitpid(child, NULL, 0) == child);
  tell("count", shared->count);
}

/* The child of a fork while others wait for a lock and have it. */
static void* lock_and_unlock(void* unused) {
  for (int i = 0; i < 300; ++i) {
    pthread_mutex_lock(&mutex);
    if (i % 10 == 0) nap(1);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void forked(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, lock_and_unlock, NULL);
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    const pid_t child = fork();
    pthread_mutex_unlock(&mutex);
    if (child == 0) {
      pthread_mutex_lock(&mutex);
      nap(2);
      pthread_mutex_unlock(&mutex);
      exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    tell("child", WEXITSTATUS(status));
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

/* A handler that jumps out of a wait, one that forks in it, and one that waits in it. */
static sigjmp_buf outside;
static volatile sig_atomic_t task;

static void handle(int number) {
  if (task == 0) siglongjmp(outside, number);
  if (task == 1) {
    const pid_t child = fork();
    if (child != 0) waitpid(child, NULL, 0);
    if (child == 0) task = 3;
  }
  if (task == 2) nap(30);
}

static void strike_soon(int seconds_thousandth) {
  const struct itimerval soon = {{0, 0}, {0, seconds_thousandth * 1000}};
  setitimer(ITIMER_REAL, &soon, NULL);
}

static void interrupted(void) {
  char byte;
  signal(SIGALRM, handle);
  if (pipe(ends) != 0) abort();
  for (volatile int i = 0; i < 3; ++i) {
    task = 0;
    if (sigsetjmp(outside, 1) == 0) {
      strike_soon(20);
      if (read(ends[0], &byte, 1) < 0) abort();
    }
    tell("jumped", i);
  }
  task = 1;
  strike_soon(20);
  errno = 0;
  const struct timespec rest = {0, 500000000};
  const int result = nanosleep(&rest, NULL);
  const int error = errno;
  if (task == 3) exit(result == -1 && error == EINTR ? 0 : 1);
  tell("forked", result);
  tell("interrupted", error == EINTR);
  task = 2;
  strike_soon(20);
  tell("waited within", usleep(500000));
  tell("interrupted", errno == EINTR);
}

static void errors(void) {
  sem_init(&semaphore, 0, 1);
  errno = 77;
  tell("semaphore", sem_wait(&semaphore));
  tell("errno", errno);
  tell("lock", pthread_mutex_lock(&mutex));
  tell("errno", errno);
  pthread_mutex_unlock(&mutex);
  nap(10);
  tell("errno", errno);
  char byte;
  tell("read", read(-1, &byte, 1));
  tell("errno", errno == EBADF);
  errno = 77;
  tell("joined", pthread_join(pthread_self(), NULL) == EDEADLK);
  tell("errno", errno);
}

/* Threads that read one stream, by lines and by characters that are put back; behind its buffer is a
   page that cannot be read. */
static FILE* stream;

static void* read_lines(void* unused) {
  char* text = NULL;
  char some[64];
  size_t size = 0;
  for (int i = 0; i < 100000; ++i) {
    if (getline(&text, &size, stream) < 0) rewind(stream);
    if (i % 3 == 0) (void)!fgets(some, sizeof some, stream);
    if (i % 7 == 0) (void)!fread(some, 3, 5, stream);
  }
  free(text);
  return unused;
}

static void* put_back(void* unused) {
  for (int i = 0; i < 200000; ++i) {
    flockfile(stream);
    if (getc_unlocked(stream) != EOF) {
      ungetc('#', stream);
      ungetc('@', stream);
      getc_unlocked(stream);
      getc_unlocked(stream);
    }
    funlockfile(stream);
  }
  return unused;
}

static void streams(void) {
  static void* (*const tasks[])(void*) = {read_lines, put_back, read_lines, put_back};
  pthread_t threads[4];
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + 4096, 4096, PROT_NONE);
  stream = tmpfile();
  setvbuf(stream, pages, _IOFBF, 4096);
  for (int i = 0; i < 2000; ++i) fprintf(stream, "%*d\n", 1 + i % 200, i);
  rewind(stream);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, tasks[i], NULL);
  for (int i = 0; i < 4; ++i) tell("ended", pthread_join(threads[i], NULL));
  flockfile(stream);
  rewind(stream);
  char first[8];
  tell("first line", fgets(first, sizeof first, stream) != NULL && first[0] == '0');
  funlockfile(stream);
}

/* A stream that is locked by a thread which has made its buffer unreadable for that time. */
static void* read_one_line(void* unused) {
  static char text[80];
  (void)unused;
  return fgets(text, sizeof text, stream);
}

static void* get_one_line(void* unused) {
  char* text = NULL;
  size_t size = 0;
  (void)unused;
  tell("length", getline(&text, &size, stream));
  free(text);
  return NULL;
}

static void locked_stream(void) {
  static void* (*const tasks[])(void*) = {read_one_line, get_one_line};
  char* buffer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stream = tmpfile();
  setvbuf(stream, buffer, _IOFBF, 4096);
  for (int i = 0; i < 5; ++i) fputs("a line of text\n", stream);
  rewind(stream);
  getc(stream);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    void* result = NULL;
    flockfile(stream);
    mprotect(buffer, 4096, PROT_NONE);
    pthread_create(&thread, NULL, tasks[i], NULL);
    nap(100);
    mprotect(buffer, 4096, PROT_READ | PROT_WRITE);
    funlockfile(stream);
    pthread_join(thread, &result);
    tell("read", result != NULL);
  }
}

/* A stream whose reading takes time but never waits. */
static ssize_t compute(void* unused, char* to, size_t size) {
  struct timespec now;
  (void)unused;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const long end = now.tv_sec * 1000000000 + now.tv_nsec + 3000000;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000000000 + now.tv_nsec < end);
  memset(to, 'x', size);
  return (ssize_t)size;
}

static void busy_stream(void) {
  const cookie_io_functions_t functions = {.read = compute};
  FILE* made = fopencookie(NULL, "r", functions);
  char bytes[1024];
  char buffer[sizeof bytes];
  long got = 0;
  setvbuf(made, buffer, _IOFBF, sizeof buffer);
  for (int i = 0; i < 20; ++i) got += (long)fread(bytes, 1, sizeof bytes, made);
  fclose(made);
  tell("computed", got);
}

int main(int count, char** arguments) {
  static const struct {
    const char* name;
    void (*run)(void);
  } tasks[] = {{"cancelled", cancelled},      {"cancelled_at_once", cancelled_at_once},
               {"robust", robustly},          {"kinds", kinds_of_mutexes},
               {"shared", between_processes}, {"forked", forked},
               {"interrupted", interrupted},  {"errors", errors},
               {"streams", streams},          {"locked_stream", locked_stream},
               {"busy_stream", busy_stream}};
  for (size_t i = 0; count > 1 && i < sizeof tasks / sizeof *tasks; ++i) {
    if (strcmp(tasks[i].name, arguments[1]) == 0) tasks[i].run();
  }
  return 0;
}
