// calls [ACTION...]: 1,000 calls of `work` by `round` in ten rounds; before the last round, the actions.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "refuse.h"

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
__attribute__((noinline)) void rounds(int times) {
  for (int i = 0; i < times * 100; i++) work();
}

// Every descriptor, the standard ones too if `from` says so; then numbers are taken anew.
static void close_all(int from, const char* path) {
  for (int i = from; i < 1100; i++) close(i);
  for (int i = 0; path != NULL && i < 600; i++) {
    if (open(path, O_RDWR | O_CREAT | O_APPEND, 0600) < 0) break;
  }
}

static pthread_barrier_t all_have_called;

static void* call_often(void* unused) {
  (void)unused;
  for (int i = 0; i < 10; i++) work();
  pthread_barrier_wait(&all_have_called);
  return NULL;
}

// So many threads at once, which call `work` ten times each and need memory to count in.
static void call_in_threads(int count) {
  pthread_t threads[256];
  pthread_barrier_init(&all_have_called, NULL, (unsigned)count);
  for (int i = 0; i < count; i++) {
    if (pthread_create(&threads[i], NULL, call_often, NULL) != 0) exit(38);
  }
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

__attribute__((noinline)) static void fork_and_call(int times) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < times; i++) work();
    exit(0);
  }
  if (waitpid(child, NULL, 0) != child) exit(39);
}

static void act(const char* action) {
  const char* value = strchr(action, '=');
  value = value == NULL ? "" : value + 1;
  if (strncmp(action, "chdir=", 6) == 0 && chdir(value) != 0) exit(30);
  if (strncmp(action, "rmdir=", 6) == 0 && rmdir(value) != 0) exit(31);
  if (strncmp(action, "chroot=", 7) == 0 && (chroot(value) != 0 || chdir("/") != 0)) exit(32);
  if (strncmp(action, "umask=", 6) == 0) umask((mode_t)strtol(value, NULL, 8));
  if (strncmp(action, "setuid=", 7) == 0 && setuid((uid_t)atoi(value)) != 0) exit(33);
  if (strncmp(action, "close=", 6) == 0) close_all(atoi(value), NULL);
  if (strncmp(action, "reuse=", 6) == 0) close_all(3, value);
  if (strncmp(action, "take=", 5) == 0) close_all(0, value);
  if (strncmp(action, "fsize=", 6) == 0) {
    struct rlimit limit = {(rlim_t)atol(value), (rlim_t)atol(value)};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(34);
  }
  if (strncmp(action, "nofile=", 7) == 0) {
    struct rlimit limit = {(rlim_t)atol(value), (rlim_t)atol(value)};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) exit(35);
  }
  if (strncmp(action, "remove=", 7) == 0) {
    char command[256];
    snprintf(command, sizeof command, "%s.%d", value, (int)getpid());
    if (unlink(command) != 0) exit(36);
  }
  if (strncmp(action, "threads=", 8) == 0) call_in_threads(atoi(value));
  if (strncmp(action, "fork=", 5) == 0) fork_and_call(atoi(value));
  if (strncmp(action, "kill=", 5) == 0) raise(atoi(value));
  if (strncmp(action, "refuse=", 7) == 0) {
    char error[16];
    sscanf(value, "%15[A-Z]", error);
    if (install_refusals(error, value + strlen(error) + 1) != 0) exit(37);
  }
}

int main(int count, char** arguments) {
  rounds(9);
  puts("nine rounds");
  fflush(stdout);
  for (int i = 1; i < count; i++) act(arguments[i]);
  rounds(1);
  return 0;
}
