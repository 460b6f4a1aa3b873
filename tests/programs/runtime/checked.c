/* Under a tool of valgrind: threads, locks, signals, children, and errors that memcheck finds. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void ignore(int number) { (void)number; }

__attribute__((noinline)) static long work(int times) {
  volatile long sum = 0;
  for (int i = 0; i < times; ++i) sum += (long)i * times;
  return sum;
}

static void* add(void* unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&mutex);
    total += work(5000);
    pthread_mutex_unlock(&mutex);
    usleep(10);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  int status = 0;
  sigset_t set;
  signal(SIGUSR1, ignore);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  raise(SIGUSR1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (fork() == 0) {
    work(100000);
    _exit(3);
  }
  wait(&status);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  char* lost = (char*)malloc(77);
  lost[0] = 1;
  lost[status == 0 ? 0 : 77] = 1;
  lost = NULL;
  fflush(stdout);
  if (fork() == 0) execlp("sh", "sh", "-c", "exit 5", NULL);
  wait(&status);
  printf("%d %ld\n", WEXITSTATUS(status), total);
  return 0;
}
