/* Uses what the collector interposes, and ends in the way that is asked for; for musl as well. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int turns;
static volatile sig_atomic_t signals;

static void count_signal(int number) { signals += number != 0; }

static void* take_turns(void* argument) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&mutex);
    ++turns;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

static void at_end(void) {
  printf("at exit\n");
  fflush(stdout);
}

static void at_fork(void) { ++turns; }

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "return";
  atexit(at_end);
  pthread_atfork(at_fork, at_fork, at_fork);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_signal;
  sigaction(SIGPROF, &action, NULL);
  raise(SIGPROF);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, take_turns, NULL);
  pthread_mutex_lock(&mutex);
  while (turns < 4000) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  struct timespec pause = {0, 1000000};
  nanosleep(&pause, NULL);
  int status = 0;
  pid_t child = fork();
  if (child == 0) _exit(7);
  waitpid(child, &status, 0);
  printf("turns %d, signals %d, child %d\n", turns, (int)signals, WEXITSTATUS(status));
  char* arguments[] = {"sh", "-c", "exit 3", NULL};
  if (posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0) waitpid(child, &status, 0);
  printf("shell %d, system %d\n", WEXITSTATUS(status), WEXITSTATUS(system("exit 6")));
  fflush(stdout);
  if (strcmp(way, "exit") == 0) exit(5);
  if (strcmp(way, "_exit") == 0) _exit(6);
  if (strcmp(way, "quick_exit") == 0) quick_exit(8);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  return 4;
}
