/* The threads of a process open descriptors of all signals at the same moment; none may read one.
   The argument is the number of processes that do so. Prints the signals that were read. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { threads = 8, failed = 255 };

static pthread_barrier_t together;
static volatile long sum;

/* Takes `milliseconds` of the thread's CPU time. */
static void compute(long milliseconds) {
  struct timespec now;
  do {
    for (int i = 0; i < 1000; ++i) sum += i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < milliseconds);
}

static void* wait_for_signals(void* seen) {
  sigset_t all;
  struct signalfd_siginfo got;
  sigfillset(&all);
  pthread_barrier_wait(&together);
  compute(1);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  int file = signalfd(-1, &all, SFD_NONBLOCK);
  compute(3);
  const long size = read(file, &got, sizeof got);
  if (size > 0) *(unsigned*)seen = got.ssi_signo;
  if (size <= 0 && errno != EAGAIN) *(unsigned*)seen = failed;
  return NULL;
}

static int run(void) {
  pthread_t all[threads];
  unsigned seen[threads] = {0};
  pthread_barrier_init(&together, NULL, threads);
  for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, wait_for_signals, &seen[i]);
  int wrong = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(all[i], NULL);
    if (seen[i] != 0) wrong = (int)seen[i];
  }
  return wrong;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  for (int i = atoi(arguments[1]); i > 0; --i) {
    pid_t child = fork();
    if (child == 0) _exit(run());
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 1;
    if (WEXITSTATUS(status) != 0) printf("signal %d\n", WEXITSTATUS(status));
  }
  return 0;
}
