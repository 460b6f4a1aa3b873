/* Planted waits, each on a line that the test finds by its comment. Prints what each took, measured
   around it: "NAME NANOSECONDS", and "NAME_times N". */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void tell(const char* name, long total, long times) {
  printf("%s %ld\n%s_times %ld\n", name, total, name, times);
}

static void nap(long milliseconds) {
  const struct timespec time = {0, milliseconds * 1000000L};
  nanosleep(&time, NULL);
}

__attribute__((noinline)) static void naps(void) {
  long total = 0;
  for (int i = 0; i < 20; ++i) {
    const long begun = now();
    usleep(50000); /* here: naps */
    total += now() - begun;
  }
  tell("naps", total, 20);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t taken, released;

__attribute__((noinline)) static void* hold(void* unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&mutex); /* here: holder */
    sem_post(&taken);
    nap(10);
    pthread_mutex_unlock(&mutex);
    sem_wait(&released);
  }
  return unused;
}

__attribute__((noinline)) static void contend(void) {
  pthread_t holder;
  long total = 0;
  sem_init(&taken, 0, 0);
  sem_init(&released, 0, 0);
  pthread_create(&holder, NULL, hold, NULL);
  for (int i = 0; i < 100; ++i) {
    while (sem_trywait(&taken) != 0) sched_yield();
    const long begun = now();
    pthread_mutex_lock(&mutex); /* here: locks */
    total += now() - begun;
    pthread_mutex_unlock(&mutex);
    sem_post(&released);
  }
  tell("locks", total, 100);
  pthread_join(holder, NULL);
}

static void* write_slowly(void* end) {
  for (int i = 0; i < 10; ++i) {
    nap(20);
    if (write(*(int*)end, "x", 1) != 1) abort();
  }
  close(*(int*)end);
  return NULL;
}

__attribute__((noinline)) static void read_slowly(void) {
  int ends[2];
  char byte;
  pthread_t writer;
  long total = 0, times = 0;
  if (pipe(ends) != 0) abort();
  pthread_create(&writer, NULL, write_slowly, &ends[1]);
  for (ssize_t got = 1; got == 1; ++times) {
    const long begun = now();
    got = read(ends[0], &byte, 1); /* here: reads */
    total += now() - begun;
  }
  tell("reads", total, times);
  pthread_join(writer, NULL);
}

__attribute__((noinline)) static void read_lines(void) {
  char line[80];
  long total = 0, times = 0;
  FILE* lines = popen("for i in 1 2 3 4 5; do sleep 0.05; echo one; echo $i; done", "r");
  for (char* got = line; got != NULL; ++times) {
    const long begun = now();
    got = fgets(line, sizeof line, lines); /* here: lines */
    total += now() - begun;
  }
  tell("lines", total, times);
  pclose(lines);
}

__attribute__((noinline)) static void await_child(void) {
  const pid_t child = fork();
  int status = 0;
  if (child == 0) {
    nap(300);
    _exit(3);
  }
  const long begun = now();
  waitpid(child, &status, 0); /* here: child */
  tell("child", now() - begun, 1);
}

__attribute__((noinline)) static void await_signal(void) {
  struct timeval rest = {0, 100000};
  const long begun = now();
  select(0, NULL, NULL, NULL, &rest); /* here: select */
  tell("select", now() - begun, 1);
}

static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t of_work = PTHREAD_MUTEX_INITIALIZER;
static int has_work;
static long begun_worker;

/* Still waits when the program ends. */
__attribute__((noinline)) static void* idle(void* unused) {
  pthread_mutex_lock(&of_work);
  begun_worker = now();
  while (!has_work) {
    pthread_cond_wait(&work, &of_work); /* here: idle */
  }
  pthread_mutex_unlock(&of_work);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, idle, NULL);
  naps();
  contend();
  read_slowly();
  read_lines();
  await_child();
  await_signal();
  tell("idle", now() - begun_worker, 1);
  return 0;
}
