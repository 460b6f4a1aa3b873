/* faults HOW: a program that does a little of everything, whose output says whether everything worked: its
   threads, locks, signals and their masks, pipes, files, children, an image and a library. It ends as HOW
   says: return, exit, abort, segv, exec, quick_exit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static long sum;
static volatile sig_atomic_t handled;
static volatile unsigned long burnt;

__attribute__((noinline)) static void add(void) {
  pthread_mutex_lock(&mutex);
  ++sum;
  pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void burn(int rounds) {
  for (int i = 0; i < rounds * 100000; ++i) burnt += (unsigned long)i;
}

__attribute__((noinline)) static void on_signal(int number) {
  (void)number;
  ++handled;
}

static void *work(void *unused) {
  (void)unused;
  sigset_t mask;
  for (int i = 0; i < 200; ++i) add();
  burn(20);
  sem_post(&semaphore);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  long blocked = 0;
  for (int number = 1; number <= 64; ++number) blocked += sigismember(&mask, number) == 1;
  return (void *)blocked;
}

/* Other programs of this user may have all the threads and timers there can be, for a moment. */
static void wait_for_others(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

static void threads(void) {
  pthread_t all[6];
  long blocked = 0;
  for (int i = 0; i < 6; ++i) {
    while (pthread_create(&all[i], NULL, work, NULL) == EAGAIN) wait_for_others();
  }
  for (int i = 0; i < 6; ++i) sem_wait(&semaphore);
  for (int i = 0; i < 6; ++i) {
    void *result = NULL;
    pthread_join(all[i], &result);
    blocked += (long)result;
  }
  printf("sum %ld, blocked %ld\n", sum, blocked);
}

static void signals(void) {
  struct sigaction action;
  struct sigaction before;
  sigset_t usual;
  sigset_t pending;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  const int set = sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 20; ++i) raise(SIGUSR1);
  const int got = sigaction(SIGUSR1, NULL, &before);
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaddset(&action.sa_mask, 62);
  const int blocked = sigprocmask(SIG_BLOCK, &action.sa_mask, &usual);
  raise(SIGUSR1);
  sigpending(&pending);
  int number = 0;
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  const int waited = sigwait(&wanted, &number);
  const int restored = sigprocmask(SIG_SETMASK, &usual, NULL);
  printf("signals %d %d %d %d %d %d, handled %d, pending %d, number %d\n", set, got, blocked, waited, restored,
         before.sa_handler == on_signal, (int)handled, sigismember(&pending, SIGUSR1), number);
  struct itimerspec soon = {{0, 0}, {0, 1000000}};
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  timer_t timer;
  int made = 0;
  do made = timer_create(CLOCK_MONOTONIC, &event, &timer);
  while (made != 0 && errno == EAGAIN && (wait_for_others(), 1));
  timer_settime(timer, 0, &soon, NULL);
  while (handled < 21) burn(1);
  timer_delete(timer);
  printf("timer %d, handled %d\n", made, (int)handled);
}

static void files(void) {
  int ends[2];
  char text[64] = "";
  if (pipe(ends) != 0) printf("no pipe\n");
  errno = 77;
  const ssize_t written = write(ends[1], "through the pipe", 16);
  const int kept = errno;
  struct pollfd ready = {ends[0], POLLIN, 0};
  const int polled = poll(&ready, 1, 1000);
  const ssize_t got = read(ends[0], text, sizeof text);
  printf("pipe %zd %d %zd %.16s, errno %d, ends %d %d\n", written, polled, got, text, kept, ends[0], ends[1]);
  close(ends[0]);
  close(ends[1]);
  FILE *file = fopen("own.txt", "w+");
  for (int i = 0; i < 100; ++i) fprintf(file, "line %d\n", i);
  rewind(file);
  int lines = 0;
  while (fgets(text, sizeof text, file) != NULL) ++lines;
  printf("file %d, lines %d\n", fileno(file), lines);
  fclose(file);
}

static int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void children(char *program) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) add();
    burn(10);
    _exit(sum == 1300 ? 5 : 6);
  }
  printf("forked %d\n", status_of(child));
  fflush(stdout);
  char *arguments[] = {program, "image", NULL};
  child = fork();
  if (child == 0) {
    execv("/does/not/exist", arguments);
    execv("/proc/self/exe", arguments);
    _exit(9);
  }
  printf("executed %d\n", status_of(child));
  fflush(stdout);
  printf("system %d\n", system("exit 3") >> 8);
}

static void library(void) {
  void *loaded = dlopen("libm.so.6", RTLD_NOW);
  double (*root)(double) = loaded != NULL ? (double (*)(double))dlsym(loaded, "sqrt") : NULL;
  printf("library %.1f\n", root != NULL ? root(16.0) : 0.0);
  if (loaded != NULL) dlclose(loaded);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  if (strcmp(how, "image") == 0) {
    burn(10);
    printf("image\n");
    return 4;
  }
  sem_init(&semaphore, 0, 0);
  threads();
  signals();
  files();
  library();
  children(argv[0]);
  nanosleep(&(struct timespec){0, 2000000}, NULL);
  printf("end\n");
  fflush(stdout);
  if (strcmp(how, "exit") == 0) exit(7);
  if (strcmp(how, "quick_exit") == 0) quick_exit(7);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "exec") == 0) execl("/proc/self/exe", argv[0], "image", (char *)NULL);
  return 0;
}
