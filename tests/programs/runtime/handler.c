// handler SIGNALS: a 10 kHz signal handler that makes profiled calls of many functions while the main
// flow makes calls of the same functions. Prints how often each was called by whom.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { functions = 256 };
static volatile long signals;
static long from_handler[functions], from_main[functions];

#define ONE(row, column) \
  __attribute__((noinline)) void f_##row##column(void) { __asm__ volatile(""); }
#define NAME(row, column) f_##row##column,
#define COLUMNS(DO, row)                                                             \
  DO(row, 0) DO(row, 1) DO(row, 2) DO(row, 3) DO(row, 4) DO(row, 5) DO(row, 6) DO(row, 7) \
  DO(row, 8) DO(row, 9) DO(row, a) DO(row, b) DO(row, c) DO(row, d) DO(row, e) DO(row, f)
#define ALL(DO)                                                                      \
  COLUMNS(DO, 0) COLUMNS(DO, 1) COLUMNS(DO, 2) COLUMNS(DO, 3)                        \
  COLUMNS(DO, 4) COLUMNS(DO, 5) COLUMNS(DO, 6) COLUMNS(DO, 7)                        \
  COLUMNS(DO, 8) COLUMNS(DO, 9) COLUMNS(DO, a) COLUMNS(DO, b)                        \
  COLUMNS(DO, c) COLUMNS(DO, d) COLUMNS(DO, e) COLUMNS(DO, f)
ALL(ONE)
static void (*const table[functions])(void) = {ALL(NAME)};

__attribute__((noinline)) void shared(void) { __asm__ volatile(""); }

__attribute__((noinline)) void in_handler(long which) {
  for (int i = 0; i < 3; i++) {
    table[(which + i * 85) % functions]();
    from_handler[(which + i * 85) % functions]++;
  }
  shared();
}

__attribute__((noinline)) void on_signal(int number) {
  (void)number;
  in_handler(signals);
  signals++;
}

__attribute__((noinline)) void in_main(long which) {
  table[which % functions]();
  from_main[which % functions]++;
  shared();
}

int main(int count, char** arguments) {
  long wanted = count > 1 ? atol(arguments[1]) : 10000;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval fast = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
  long rounds = 0;
  setitimer(ITIMER_REAL, &fast, NULL);
  while (signals < wanted) in_main(rounds++ * 7);
  setitimer(ITIMER_REAL, &off, NULL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  printf("signals %ld\nrounds %ld\n", signals, rounds);
  for (int i = 0; i < functions; i++)
    printf("h_%02x %ld\nm_%02x %ld\n", i, from_handler[i], i, from_main[i]);
  return 0;
}
