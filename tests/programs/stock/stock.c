// stock plain|threads|fork|signals|loads|exit|abort [ROUNDS] [PLUGIN...]: hot loops in ordinary
// programs. Prints what was computed, and ends with another status than 0.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static int rounds = 3000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t result;

static void* one_thread(void* number) {
  uint64_t x = (uintptr_t)number;
  for (int i = 0; i < rounds; i += 10) {
    x = everything(x, 3);
    pthread_mutex_lock(&lock);
    result += x;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void in_threads(void) {
  pthread_t threads[3];
  for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, one_thread, (void*)(i + 1));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static void in_children(void) {
  for (int i = 0; i < 2; i++) {
    const pid_t child = fork();
    if (child == 0) _exit((int)(everything((uint64_t)i, rounds / 3) % 50));
    int status = 0;
    waitpid(child, &status, 0);
    result += (uint64_t)WEXITSTATUS(status);
  }
  result += everything(3, rounds / 3);
}

static volatile uint64_t handled;
HOT void on_alarm(int number) { handled = mixed((uint64_t)number, 200); }

static void beside_signals(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 3000}, {0, 3000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  result = everything(4, rounds);
  setitimer(ITIMER_REAL, &never, NULL);
}

static void in_plugins(char** plugins) {
  for (int round = 0; round < 10; round++) {
    for (char** plugin = plugins; *plugin != NULL; plugin++) {
      void* handle = dlopen(*plugin, RTLD_NOW);
      if (handle == NULL) abort();
      uint64_t (*run)(uint64_t, int) = (uint64_t(*)(uint64_t, int))dlsym(handle, "run");
      result += run(result, rounds / 30);
      dlclose(handle);
    }
  }
  result += everything(5, rounds / 3);
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "plain";
  if (count > 2) rounds = atoi(arguments[2]);
  if (strcmp(what, "threads") == 0)
    in_threads();
  else if (strcmp(what, "fork") == 0)
    in_children();
  else if (strcmp(what, "signals") == 0)
    beside_signals();
  else if (strcmp(what, "loads") == 0)
    in_plugins(arguments + 3);
  else
    result = everything(1, rounds);
  printf("%s %llu\n", what, (unsigned long long)result);
  fprintf(stderr, "done\n");
  fflush(stdout);
  if (strcmp(what, "exit") == 0) _exit(9);
  if (strcmp(what, "abort") == 0) abort();
  return 3;
}
