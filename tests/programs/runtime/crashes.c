// crashes HOW: works for a while, then crashes in the way that HOW names. The line that is to be
// found has the comment "HOW here", those that led there "HOW caller".
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static const char* how;
static volatile int sink;
static void (*volatile nowhere)(void);
static const char* volatile bad_text = (const char*)8;

static int is(const char* name) { return strcmp(how, name) == 0; }

NOINLINE void work(void) {
  for (int i = 0; i < 20000000; ++i) sink += i;
}

NOINLINE void access_nothing(void) {
  if (is("null")) sink = *(volatile int*)0;                     // null here
  if (is("write")) *(volatile int*)0x1234 = 1;                  // write here
  if (is("noncanonical")) *(volatile int*)(0x80ULL << 56) = 1;  // noncanonical here
  sink = 0;
}

NOINLINE void call_nothing(void) {
  nowhere();  // call here
  sink = 0;
}

NOINLINE void give_to_library(void) {
  sink = (int)strlen(bad_text);  // library here
  sink = 0;
}

NOINLINE void divide(int by) {
  sink = sink / by;  // divide here
}

NOINLINE void trap(void) {
  __builtin_trap();  // trap here
}

NOINLINE void read_beyond_file(void) {
  char name[] = "beyond-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  if (ftruncate(file, 4096) != 0) return;
  volatile char* bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  if (ftruncate(file, 0) != 0) return;
  sink = bytes[0];  // bus here
}

NOINLINE void give_up(void) {
  if (is("abort")) abort();         // abort here
  if (is("assert")) assert(0);      // assert here
  if (is("raise")) raise(SIGSEGV);  // raise here
  sink = 0;
}

NOINLINE void* in_thread(void* unused) {
  work();
  *(volatile int*)8 = 1;  // thread here
  return unused;
}

static void on_crash(int number) {
  printf("handled %d\n", number);
  fflush(stdout);
  _exit(3);
}

static void on_crash_and_again(int number) {
  printf("handled %d\n", number);
  fflush(stdout);
  signal(number, SIG_DFL);
}

static sigjmp_buf away;
static void jump_away(int number) { siglongjmp(away, number); }

static int abort_and_go_on(void) {
  signal(SIGABRT, jump_away);
  if (sigsetjmp(away, 1) == 0) abort();
  puts("goes on");
  return 5;
}

static void show_action(const char* name) {
  struct sigaction action;
  memset(&action, 0x55, sizeof action);
  sigaction(SIGSEGV, NULL, &action);
  printf("%s default %d flags %x empty %d\n", name, action.sa_handler == SIG_DFL, action.sa_flags,
         sigismember(&action.sa_mask, SIGUSR1) == 0);
  fflush(stdout);
}

static void show_actions(void) {
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_NODEFER};
  struct sigaction old;
  show_action("first");
  sigaction(SIGSEGV, &action, &old);
  printf("old default %d\n", old.sa_handler == SIG_DFL);
  sigaction(SIGSEGV, &old, &action);
  printf("own %d %x\n", action.sa_handler == on_crash, action.sa_flags & SA_NODEFER);
  for (int number = 1; number < 32; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    printf("%d %d\n", number, signal(number, SIG_DFL) == SIG_DFL);
  }
  show_action("last");
  access_nothing();
  *(volatile int*)8 = 1;
}

static int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

NOINLINE int in_children(void) {
  pid_t child = fork();
  if (child == 0) {
    *(volatile int*)16 = 1;
    _exit(0);
  }
  printf("forked %d\n", status_of(child));
  child = vfork();
  if (child == 0) {
    *(volatile int*)16 = 1;
    _exit(0);
  }
  printf("vforked %d\n", status_of(child));
  fflush(stdout);
  return 0;
}

static void other_ways(void) {
  if (is("handler")) signal(SIGSEGV, on_crash);
  if (is("handler-again")) signal(SIGSEGV, on_crash_and_again);
  if (is("ignored")) signal(SIGSEGV, SIG_IGN);
  if (is("strict")) prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  if (is("blocked")) {
    sigset_t set;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
  }
  if (is("small-stack")) {
    stack_t stack = {.ss_sp = malloc(16384), .ss_size = 16384};
    sigaltstack(&stack, NULL);
  }
  *(volatile int*)8 = 1;
}

NOINLINE int overflow(int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  return overflow(depth + 1) + room[0];
}

NOINLINE void crash(void) {
  if (is("null") || is("write") || is("noncanonical")) access_nothing();  // null write noncanonical caller
  if (is("call")) call_nothing();                                         // call caller
  if (is("library")) give_to_library();                                   // library caller
  if (is("divide")) divide(0);                                            // divide caller
  if (is("trap")) trap();                                                 // trap caller
  if (is("bus")) read_beyond_file();                                      // bus caller
  if (is("abort") || is("assert") || is("raise")) give_up();              // abort assert raise caller
  if (is("actions")) show_actions();
  if (is("children")) exit(in_children());
  if (is("abort-and-go-on")) exit(abort_and_go_on());
  if (is("overflow")) exit(overflow(0));
  if (is("thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (is("wait")) {
    puts("ready");
    fflush(stdout);
    for (;;) pause();
  }
  other_ways();
}

int main(int count, char** arguments) {
  how = count > 1 ? arguments[1] : "null";
  work();
  crash();  // null write noncanonical call library divide trap bus abort assert raise caller
  return 0;
}
