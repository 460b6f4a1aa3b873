/* Threads that end at awkward moments. Arguments: which, and how many rounds.

   "keys": threads with thread-specific data end while the process forks. The threads of the child
   must start without data; prints in how many children one did not.

   "main": the main thread is the last, and ends by pthread_exit(). Prints the wait statuses other
   than 0. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 8 };

static pthread_key_t key;
static volatile long sum;

/* What a child's thread inherits is on a stack that is gone. A crash here counts, too. */
static void destroy_data(void* data) { *(int*)data = 0; }

static void* have_data(void* data) {
  pthread_setspecific(key, data);
  return NULL;
}

static void* look_for_data(void* found) {
  if (pthread_getspecific(key) != NULL) *(int*)found = 1;
  return NULL;
}

static int start_and_join(void* (*routine)(void*), int value) {
  pthread_t all[threads];
  int data[threads];
  int others = 0;
  for (int i = 0; i < threads; ++i) {
    data[i] = value;
    pthread_create(&all[i], NULL, routine, &data[i]);
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(all[i], NULL);
    others += data[i] != value;
  }
  return others;
}

static void* come_and_go(void* ended) {
  while (!__atomic_load_n((int*)ended, __ATOMIC_ACQUIRE)) start_and_join(have_data, 1);
  return NULL;
}

static int status_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) exit(2);
  return status;
}

static void fork_while_threads_end(int rounds) {
  pthread_t maker;
  int ended = 0, wrong = 0;
  pthread_create(&maker, NULL, come_and_go, &ended);
  for (int i = 0; i < rounds; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(start_and_join(look_for_data, 0));
    wrong += status_of(child) != 0;
  }
  __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
  pthread_join(maker, NULL);
  printf("%d\n", wrong);
}

static void end_main_thread(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      start_and_join(have_data, 1);
      for (int j = 0; j < 100000; ++j) sum += j;
      pthread_exit(NULL);
    }
    const int status = status_of(child);
    if (status != 0) printf("%x\n", (unsigned)status);
  }
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int rounds = atoi(arguments[2]);
  pthread_key_create(&key, destroy_data);
  if (!strcmp(arguments[1], "keys")) fork_while_threads_end(rounds);
  if (!strcmp(arguments[1], "main")) end_main_thread(rounds);
  return 0;
}
