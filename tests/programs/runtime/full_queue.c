/* Uses signals in the ways that programs do, while the kernel can queue hardly any. Arguments: what, and
   how many rounds. Prints what it received, which does not depend on time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t received;
static volatile unsigned long sum;

static void work(long rounds) {
  for (long i = 0; i < rounds * 1000; ++i) sum += i * i;
}

/* The limit is what the kernel compares with at each signal. */
static void set_limit(rlim_t number) {
  struct rlimit limit;
  getrlimit(RLIMIT_SIGPENDING, &limit);
  limit.rlim_cur = number < limit.rlim_max ? number : limit.rlim_max;
  setrlimit(RLIMIT_SIGPENDING, &limit);
}

static void on_signal(int number) {
  (void)number;
  ++received;
}

static void limits(long rounds) {
  unsigned state = 1;
  for (long i = 0; i < rounds; ++i) {
    set_limit(rand_r(&state) % 2 ? 0 : 4096);
    work(1 + rand_r(&state) % 2000);
  }
}

static void no_limit_but_nought(long rounds) {
  set_limit(0);
  work(rounds * 1000);
}

/* The program's own SIGIO and SIGURG, one after the other: each is received before the next is sent. */
static void own_handler(int number, long rounds) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(number, &action, NULL);
  set_limit(0);
  for (long i = 0; i < rounds; ++i) {
    pthread_kill(pthread_self(), number);
    work(200);
  }
}

static void own_descriptor(long rounds) {
  int pair[2];
  char byte = 0;
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  signal(SIGIO, on_signal);
  fcntl(pair[0], F_SETOWN, getpid());
  fcntl(pair[0], F_SETFL, O_ASYNC);
  set_limit(0);
  for (long i = 0; i < rounds; ++i) {
    if (write(pair[1], &byte, 1) != 1) abort();
    work(200);
    if (read(pair[0], &byte, 1) != 1) abort();
  }
  fcntl(pair[0], F_SETFL, 0);
}

struct waiter {
  pthread_t thread;
  int how;
  int descriptor;
  long wanted;
  long seen[65];
};

static void *wait_for_signals(void *argument) {
  struct waiter *waiter = argument;
  sigset_t all;
  sigfillset(&all);
  for (long i = 0; i < waiter->wanted; ++i) {
    int number = 0;
    if (waiter->how == 0) {
      sigwait(&all, &number);
    } else if (waiter->how == 1) {
      siginfo_t info;
      do number = sigwaitinfo(&all, &info); while (number < 0 && errno == EINTR);
    } else {
      struct signalfd_siginfo info;
      if (read(waiter->descriptor, &info, sizeof info) != sizeof info) abort();
      number = (int)info.ssi_signo;
    }
    ++waiter->seen[number];
    work(300);
  }
  return NULL;
}

/* A thread that takes all signals; the others block them. */
static void waits(int how, long rounds) {
  static const int numbers[] = {SIGIO, SIGURG, SIGUSR1, SIGTERM};
  struct waiter waiter;
  sigset_t all;
  memset(&waiter, 0, sizeof waiter);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  set_limit(0);
  waiter.how = how;
  waiter.wanted = rounds * 4;
  if (how == 2) waiter.descriptor = signalfd(-1, &all, SFD_CLOEXEC);
  pthread_create(&waiter.thread, NULL, wait_for_signals, &waiter);
  for (long i = 0; i < rounds; ++i) {
    for (int k = 0; k < 4; ++k) {
      sigset_t pending;
      kill(getpid(), numbers[k]);
      /* A signal that is pending is not sent again. */
      do {
        work(5);
        sigpending(&pending);
      } while (sigismember(&pending, numbers[k]));
    }
  }
  pthread_join(waiter.thread, NULL);
  for (int k = 0; k < 4; ++k) printf("signal_%d %ld\n", numbers[k], waiter.seen[numbers[k]]);
}

/* What another image inherits, and what one that ignores a signal does. */
static void inherited(long rounds) {
  struct sigaction action;
  sigset_t set;
  signal(SIGURG, SIG_IGN);
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  sigprocmask(SIG_BLOCK, &set, NULL);
  set_limit(0);
  work(rounds * 100);
  sigaction(SIGURG, NULL, &action);
  sigprocmask(SIG_BLOCK, NULL, &set);
  printf("ignored %d\nblocked %d\n", action.sa_handler == SIG_IGN, sigismember(&set, SIGURG));
  fflush(stdout);
  execlp("env", "env", "-u", "LD_PRELOAD", "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status", (char *)NULL);
}

static void *burn(void *argument) {
  work((long)argument);
  return NULL;
}

/* Whether the program has a handler when threads run already: its own signals come through. */
static void late_handler(long rounds) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, burn, (void *)(rounds * 1000));
  set_limit(0);
  signal(SIGURG, on_signal);
  for (long i = 0; i < rounds; ++i) {
    pthread_kill(pthread_self(), SIGURG);
    work(300);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

static void children(long rounds) {
  set_limit(0);
  for (long i = 0; i < rounds / 10 + 1; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      work(3000);
      if (i % 2) execlp("true", "true", (char *)NULL);
      _exit(7);
    }
    work(3000);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != (i % 2 ? 0 : 7 << 8)) printf("child %d\n", status);
  }
}

/* Until killed: fills the user's queue, and empties it again, at random. Says when it is full first. */
static void fill(long number) {
  const struct timespec nothing = {0, 0};
  const union sigval value = {0};
  unsigned state = 1;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (long round = 0;; ++round) {
    for (long i = 0; i < number && sigqueue(getpid(), SIGRTMIN + 3, value) == 0; ++i) {
    }
    if (round == 0) puts("full");
    fflush(stdout);
    work(rand_r(&state) % 1000);
    for (long left = rand_r(&state) % 2 ? number : rand_r(&state) % number; left > 0; --left) {
      if (sigtimedwait(&set, NULL, &nothing) < 0) break;
    }
    work(rand_r(&state) % 1000);
  }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "limits";
  const long rounds = count > 2 ? atol(words[2]) : 100;
  if (!strcmp(what, "limits")) limits(rounds);
  if (!strcmp(what, "nought")) no_limit_but_nought(rounds);
  if (!strcmp(what, "work")) work(rounds * 1000);
  if (!strcmp(what, "sigio")) own_handler(SIGIO, rounds);
  if (!strcmp(what, "sigurg")) own_handler(SIGURG, rounds);
  if (!strcmp(what, "descriptor")) own_descriptor(rounds);
  if (!strcmp(what, "sigwait")) waits(0, rounds);
  if (!strcmp(what, "sigwaitinfo")) waits(1, rounds);
  if (!strcmp(what, "signalfd")) waits(2, rounds);
  if (!strcmp(what, "late")) late_handler(rounds);
  if (!strcmp(what, "children")) children(rounds);
  if (!strcmp(what, "inherited")) inherited(rounds);
  if (!strcmp(what, "fill")) fill(rounds);
  if (!strcmp(what, "default-sigio")) raise(SIGIO);
  if (!strcmp(what, "default-sigurg")) raise(SIGURG);
  printf("received %d\n", (int)received);
  return 3;
}
