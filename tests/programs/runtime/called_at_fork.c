/* A thread counts its first call while another one forks. fork() waits for the call, as it would
   for a thread that holds a lock of malloc's. Prints whether the call ended. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_COUNTED __attribute__((no_instrument_function))

static sem_t go, done;
static int has_ended = 1;
static volatile int calls;

static void counted(void) { ++calls; }

NOT_COUNTED static void* call_at_fork(void* unused) {
  sem_wait(&go);
  counted();
  sem_post(&done);
  return unused;
}

NOT_COUNTED static void wait_for_call(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 20;
  sem_post(&go);
  if (sem_timedwait(&done, &end) != 0) has_ended = 0;
}

/* The handler that was registered first is called last, just before libc takes its own locks. */
NOT_COUNTED static void register_first(void) { pthread_atfork(wait_for_call, NULL, NULL); }

__attribute__((section(".preinit_array"),
               used)) static void (*const before_constructors)(void) = register_first;

int main(void) {
  pthread_t thread;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, call_at_fork, NULL);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  pthread_join(thread, NULL);
  printf("%d calls, %s\n", calls, has_ended ? "ended" : "not ended");
  return 0;
}
