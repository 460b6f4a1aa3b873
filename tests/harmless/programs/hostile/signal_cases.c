/* Signals: what a program has when it starts, limits of the queue, own timers, handlers that end or
 * jump. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "cases.h"

static volatile sig_atomic_t hits;
static sigjmp_buf jump;

static void hit(int number) {
  (void)number;
  ++hits;
}

static void compute(long times) {
  static volatile double sum;
  for (volatile long i = 0; i < times; ++i) sum += (double)i;
}

/* What a program that is started finds: nothing is ignored, caught or blocked that it did not ask
 * for. */
static int dispositions(int count, char** words) {
  (void)count, (void)words;
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    printf("%d: %s%s\n", number,
           action.sa_handler == SIG_DFL   ? "default"
           : action.sa_handler == SIG_IGN ? "ignored"
                                          : "caught",
           sigismember(&mask, number) ? ", blocked" : "");
  }
  for (int which = ITIMER_REAL; which <= ITIMER_PROF; ++which) {
    struct itimerval timer;
    EXPECT(getitimer(which, &timer) == 0 && timer.it_value.tv_sec == 0 &&
           timer.it_value.tv_usec == 0);
  }
  return 0;
}

/* No signal can be queued from some moment on, while the program computes with all signals blocked.
 */
static int no_queue(int count, char** words) {
  const int how = count > 0 ? atoi(words[0]) : 0;
  const struct rlimit none = {0, 0};
  EXPECT(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
  sigset_t all;
  sigfillset(&all);
  if (how == 1) syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, 8);
  if (how == 2) sigprocmask(SIG_BLOCK, &all, NULL);
  compute(60000000);
  puts("end");
  return 3;
}

/* The queue of the user is full, which any process may do to any other. */
static int full_queue(int count, char** words) {
  (void)count, (void)words;
  const struct rlimit few = {200, 200};
  EXPECT(setrlimit(RLIMIT_SIGPENDING, &few) == 0);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGRTMIN + 3);
  sigprocmask(SIG_BLOCK, &own, NULL);
  while (sigqueue(getpid(), SIGRTMIN + 3, (union sigval){0}) == 0) continue;
  compute(60000000);
  puts("end");
  return 3;
}

/* A program with profiling timers of its own. */
static int own_timers(int count, char** words) {
  (void)count, (void)words;
  const struct itimerval fast = {{0, 2000}, {0, 2000}};
  struct itimerval now;
  signal(SIGPROF, hit);
  signal(SIGVTALRM, hit);
  EXPECT(setitimer(ITIMER_PROF, &fast, NULL) == 0);
  EXPECT(getitimer(ITIMER_PROF, &now) == 0 && now.it_interval.tv_usec >= 2000 &&
         now.it_interval.tv_usec < 9000);
  while (hits < 20) compute(1000);
  EXPECT(setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL) == 0);
  EXPECT(setitimer(ITIMER_VIRTUAL, &fast, NULL) == 0);
  for (const int before = hits; hits < before + 20;) compute(1000);
  puts("ticked");
  return 0;
}

/* SIGPROF's default: nothing but the program's own timer may cause it. */
static int killed_by_own_timer(int count, char** words) {
  (void)count, (void)words;
  const struct itimerval fast = {{0, 0}, {0, 20000}};
  setitimer(ITIMER_PROF, &fast, NULL);
  for (;;) compute(100000);
  return 0;
}

static void jump_out(int number) { siglongjmp(jump, number); }

static int jumps(int count, char** words) {
  (void)count, (void)words;
  struct itimerval fast = {{0, 0}, {0, 500}};
  signal(SIGALRM, jump_out);
  volatile int jumped = 0;
  for (volatile int i = 0; i < 200; ++i) {
    if (sigsetjmp(jump, 1) == 0) {
      setitimer(ITIMER_REAL, &fast, NULL);
      for (;;) {
        if (i % 3 == 0) pause();
        if (i % 3 == 1) usleep(100000);
        compute(100);
      }
    }
    ++jumped;
  }
  printf("%d jumps\n", jumped);
  return 0;
}

static void jump_from_abort(int number) { siglongjmp(jump, number); }

static int abort_that_jumps(int count, char** words) {
  (void)count, (void)words;
  signal(SIGABRT, jump_from_abort);
  if (sigsetjmp(jump, 1) == 0) abort();
  puts("after abort");
  fflush(stdout);
  signal(SIGABRT, hit);
  abort();
}

static void overflow(int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  overflow(depth + 1);
  room[1] = room[0];
}

static int stack_overflow(int count, char** words) {
  static char own[65536];
  (void)count, (void)words;
  const stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_flags = SA_ONSTACK};
  action.sa_handler = jump_out;
  sigaction(SIGSEGV, &action, NULL);
  for (volatile int i = 0; i < 20; ++i) {
    if (sigsetjmp(jump, 1) == 0) overflow(0);
  }
  puts("overflowed 20 times");
  fflush(stdout);
  signal(SIGSEGV, SIG_DFL);
  overflow(0);
  return 0;
}

static int children_by_signal(int count, char** words) {
  (void)count, (void)words;
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  signal(SIGCHLD, hit);
  sigprocmask(SIG_BLOCK, &set, &old);
  for (int i = 0; i < 20; ++i) {
    const int before = hits;
    const pid_t child = fork();
    if (child == 0) _exit(i);
    while (hits == before) sigsuspend(&old);
    int status = 0;
    EXPECT(waitpid(-1, &status, WNOHANG) == child && WEXITSTATUS(status) == i);
  }
  EXPECT(wait(NULL) == -1 && errno == ECHILD);
  printf("%d signals\n", (int)hits);
  return 0;
}

static void* send_storm(void* argument) {
  for (int i = 0; i < 20000; ++i)
    pthread_kill(*(pthread_t*)argument, SIGUSR1 + (i & 1) * (SIGUSR2 - SIGUSR1));
  return NULL;
}

static int storm(int count, char** words) {
  (void)count, (void)words;
  pthread_t threads[3], own = pthread_self();
  signal(SIGUSR1, hit);
  signal(SIGUSR2, hit);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, send_storm, &own);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  EXPECT(hits > 0 && hits <= 60000);
  puts("calm");
  return 0;
}

/* Asynchronous input and output by signals, which are the program's own. */
static int input_signals(int count, char** words) {
  (void)count, (void)words;
  int ends[2];
  signal(SIGIO, hit);
  signal(SIGURG, hit);
  EXPECT(pipe(ends) == 0);
  EXPECT(fcntl(ends[0], F_SETOWN, getpid()) == 0 &&
         fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
  EXPECT(write(ends[1], "x", 1) == 1);
  while (hits == 0) compute(1000);
  char byte;
  EXPECT(read(ends[0], &byte, 1) == 1);
  struct sigaction action;
  EXPECT(sigaction(SIGIO, NULL, &action) == 0 && action.sa_handler == hit);
  EXPECT(sigaction(SIGURG, NULL, &action) == 0 && action.sa_handler == hit);
  const int before = hits;
  compute(30000000);
  printf("%d more\n", hits - before);
  signal(SIGIO, SIG_DFL);
  fflush(stdout);
  raise(SIGIO);
  return 0;
}

CASES({"dispositions", dispositions}, {"no-queue", no_queue}, {"full-queue", full_queue},
      {"own-timers", own_timers}, {"killed-by-own-timer", killed_by_own_timer}, {"jumps", jumps},
      {"abort-that-jumps", abort_that_jumps}, {"stack-overflow", stack_overflow},
      {"children-by-signal", children_by_signal}, {"storm", storm},
      {"input-signals", input_signals})
