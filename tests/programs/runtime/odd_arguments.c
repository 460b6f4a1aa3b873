/* Calls every function that the collector interposes with arguments that point nowhere: what each
   returns, or the address at which it faults, must be the same with and without the collector. Each
   call is made in a child of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Volatile, so that the compiler knows nothing of what is passed. */
static void* volatile none;   /* null */
static char* volatile wall;   /* a page that cannot be read */
static char* volatile readable; /* one that can only be read; all zero */
static volatile int bad = -1;
static volatile int data;  /* a file with some text */
static const char* volatile name;
/* Whether the page is all that is told of an address: a lock that is tried first faults in
   another of its words. */
static volatile int only_page;

static void tell(const char* what, long value) {
  char line[200];
  const int size = snprintf(line, sizeof line, "%s: %s %ld\n", name, what, value);
  if (write(1, line, (size_t)size) != size) _exit(99);
}

static void fault(int number, siginfo_t* info, void* unused) {
  (void)unused;
  uintptr_t address = (uintptr_t)info->si_addr;
  if (only_page) address -= address % 4096;
  const uintptr_t in_wall = address - (uintptr_t)wall;
  const uintptr_t in_readable = address - (uintptr_t)readable;
  if (in_wall < 4096) {
    tell("faults in the wall at", (long)in_wall);
  } else if (in_readable < 4096) {
    tell("faults in what can be read at", (long)in_readable);
  } else {
    tell(number == SIGSEGV ? "faults at" : "bus error at", address < 65536 ? (long)address : -1);
  }
  _exit(0);
}

static void begin(const char* call) {
  name = call;
  fflush(NULL);
}

#define TRY(expression)                          \
  do {                                           \
    begin(#expression);                          \
    const pid_t child = fork();                  \
    if (child == 0) {                            \
      alarm(20);                                 \
      errno = 0;                                 \
      const long result = (long)(expression);    \
      const int error = errno;                   \
      tell("returns", result);                   \
      tell("errno", error);                      \
      _exit(0);                                  \
    }                                            \
    int status = 0;                              \
    waitpid(child, &status, 0);                  \
    if (status != 0) tell("ends with", status);  \
  } while (0)

static FILE* stream(void* at) { return (FILE*)at; }
static struct timespec no_time;
static struct timeval no_time_at_all;
static const struct timespec* past(void) { return &no_time; }
static char bytes[64];
static char* line;
static size_t size;
static int number;
static fd_set* set_at(void* at) { return (fd_set*)at; }

static void streams(void) {
  TRY(fread(bytes, 0, 5, stream(none)));
  TRY(fread(bytes, 5, 0, stream(none)));
  TRY(fread(bytes, 5, 1, stream(none)));
  TRY(fread(bytes, 5, 0, stream(wall)));
  TRY(fread(bytes, 5, 1, stream(wall)));
  TRY(fread(wall, 1, 4, fdopen(data, "r")));
  TRY(fgets(bytes, 0, stream(none)) == NULL);
  TRY(fgets(bytes, 1, stream(none)) == bytes);
  TRY(fgets(bytes, -1, stream(none)) == NULL);
  TRY(fgets(bytes, 2, stream(none)) == NULL);
  TRY(fgets(bytes, 1, stream(wall)) == bytes);
  TRY(fgets(wall, 10, fdopen(data, "r")) == NULL);
  TRY(getline(none, &size, stream(none)));
  TRY(getline(&line, none, stream(none)));
  TRY(getline(&line, &size, stream(none)));
  TRY(getdelim(none, &size, 'x', stream(wall)));
  TRY(getdelim(&line, &size, 'x', stream(wall)));
  TRY(fflush(stream(none)));
  TRY(fflush(stream(wall)));
  TRY(pclose(stream(none)));
}

static void descriptors(void) {
  TRY(read(data, wall, 4));
  TRY(read(bad, none, 4));
  TRY(write(bad, wall, 4));
  TRY(readv(data, none, 1));
  TRY(readv(data, (void*)wall, -1));
  TRY(writev(data, (void*)wall, 1));
  TRY(pread(data, wall, 4, 0));
  TRY(pwrite(bad, none, 4, 0));
  TRY(preadv(data, (void*)wall, 1, 0));
  TRY(pwritev(data, none, 1, 0));
  TRY(sendfile(bad, bad, (void*)wall, 1));
  TRY(fsync(bad));
  TRY(fdatasync(bad));
  TRY(recv(bad, none, 1, 0));
  TRY(recvfrom(bad, wall, 1, 0, none, none));
  TRY(recvmsg(bad, none, 0));
  TRY(recvmsg(bad, (void*)wall, 0));
  TRY(recvmmsg(bad, (void*)wall, 1, 0, (void*)wall));
  TRY(send(bad, none, 1, 0));
  TRY(sendto(bad, wall, 1, 0, (void*)wall, 16));
  TRY(sendmsg(bad, (void*)wall, 0));
  TRY(sendmmsg(bad, (void*)wall, 1, 0));
  TRY(accept(bad, (void*)wall, none));
  TRY(accept4(bad, none, (void*)wall, 0));
  TRY(connect(bad, (void*)wall, 16));
  TRY(getaddrinfo(none, none, none, none));
  TRY(poll(none, 0, 0));
  TRY(poll(none, 1, 0));
  TRY(poll((void*)wall, 1, 0));
  TRY(ppoll(none, 0, past(), none));
  TRY(ppoll(none, 0, past(), (void*)wall));
  TRY(ppoll(none, 0, (void*)wall, none));
  TRY(select(0, none, none, none, &no_time_at_all));
  TRY(select(-1, none, none, none, &no_time_at_all));
  TRY(select(1, set_at(wall), none, none, &no_time_at_all));
  TRY(select(0, none, none, none, (void*)wall));
  TRY(pselect(1, none, set_at(wall), none, past(), none));
  TRY(pselect(0, none, none, none, past(), (void*)wall));
  TRY(epoll_wait(bad, none, 0, 0));
  TRY(epoll_pwait(bad, (void*)wall, 1, 0, (void*)wall));
  TRY(fcntl(bad, F_SETLKW, none));
  TRY(fcntl(data, F_SETLKW, wall));
  TRY(fcntl(data, F_GETFD));
  TRY(lockf(bad, F_LOCK, 1));
  TRY(lockf(bad, 77, 1));
  TRY(flock(bad, LOCK_EX));
}

static pthread_mutex_t destroyed;
static void* destroyed_mutex(void) {
  pthread_mutex_init(&destroyed, NULL);
  pthread_mutex_destroy(&destroyed);
  return &destroyed;
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void locks(void) {
  TRY(pthread_mutex_lock(none));
  TRY(pthread_mutex_lock((void*)wall));
  TRY(pthread_mutex_lock((void*)(wall + 8)));
  TRY(pthread_mutex_lock((void*)(wall - 16)));
  TRY(pthread_mutex_lock((void*)readable));
  TRY(pthread_mutex_lock(destroyed_mutex()));
  TRY(pthread_mutex_trylock(none));
  TRY(pthread_mutex_trylock((void*)wall));
  TRY(pthread_mutex_trylock(destroyed_mutex()));
  TRY(pthread_mutex_timedlock(none, past()));
  TRY(pthread_mutex_timedlock((void*)wall, past()));
  TRY(pthread_mutex_timedlock(destroyed_mutex(), past()));
  TRY(pthread_mutex_timedlock(&mutex, none));
  TRY(pthread_mutex_clocklock((void*)wall, CLOCK_MONOTONIC, past()));
  TRY(pthread_mutex_clocklock(&mutex, bad, past()));
  TRY(mtx_lock(none));
  TRY(mtx_lock((void*)wall));
  TRY(mtx_trylock((void*)wall));
  TRY(mtx_timedlock((void*)wall, past()));
  only_page = 1;
  TRY(pthread_rwlock_rdlock(none));
  TRY(pthread_rwlock_rdlock((void*)wall));
  TRY(pthread_rwlock_wrlock(none));
  TRY(pthread_rwlock_wrlock((void*)wall));
  TRY(pthread_rwlock_timedrdlock((void*)wall, past()));
  TRY(pthread_rwlock_timedwrlock((void*)wall, (void*)wall));
  only_page = 0;
  TRY(pthread_spin_lock(none));
  TRY(pthread_spin_lock((void*)wall));
  TRY(sem_wait(none));
  TRY(sem_wait((void*)wall));
  TRY(sem_timedwait((void*)wall, past()));
  TRY(pthread_barrier_wait((void*)wall));
  TRY(pthread_cond_wait(none, none));
  TRY(pthread_cond_wait(&condition, none));
  TRY(pthread_cond_wait((void*)wall, (void*)wall));
  TRY(pthread_cond_timedwait(&condition, (void*)wall, past()));
  TRY(cnd_wait((void*)wall, none));
  TRY(pthread_join(0, none));
  TRY(pthread_join((pthread_t)wall, none));
  TRY(thrd_join((thrd_t)wall, none));
}

static void sleeps(void) {
  TRY(nanosleep(none, none));
  TRY(nanosleep((void*)wall, none));
  TRY(clock_nanosleep(bad, 0, past(), none));
  TRY(clock_nanosleep(CLOCK_MONOTONIC, 0, none, none));
  TRY(thrd_sleep((void*)wall, none));
  TRY(usleep(0));
  TRY(sleep(0));
}

static void children(void) {
  TRY(wait(none));
  TRY(wait((void*)wall));
  TRY(waitpid(bad, (void*)wall, 0));
  TRY(wait3((void*)wall, 0, (void*)wall));
  TRY(wait4(bad, none, 0, (void*)wall));
  TRY(waitid(P_ALL, 0, (void*)wall, WEXITED));
  TRY(system(none) != 0);
}

static void signals(void) {
  only_page = 1; /* which word of an action is read first depends on the machine */
  TRY(sigwait(none, &number));
  TRY(sigwait((void*)wall, &number));
  TRY(sigwaitinfo(none, none));
  TRY(sigwaitinfo((void*)wall, none));
  TRY(sigtimedwait((void*)wall, none, past()));
  TRY(sigtimedwait((void*)readable, none, past()));
  TRY(signalfd(bad, none, 0));
  TRY(signalfd(bad, (void*)wall, 0));
  TRY(sigaction(SIGUSR1, none, none));
  TRY(sigaction(SIGUSR1, (void*)wall, none));
  TRY(sigaction(SIGUSR1, none, (void*)wall));
  TRY(sigaction(bad, none, none));
  TRY(sigaction(SIGKILL, (void*)readable, none));
  TRY(signal(bad, SIG_IGN) == SIG_ERR);
  TRY(sigprocmask(bad, none, none));
  TRY(sigprocmask(77, (void*)readable, none));
  TRY(sigprocmask(SIG_BLOCK, (void*)wall, none));
  TRY(sigprocmask(SIG_BLOCK, none, (void*)wall));
  TRY(pthread_sigmask(77, (void*)readable, none));
  TRY(pthread_sigmask(SIG_BLOCK, none, (void*)wall));
  TRY(setitimer(ITIMER_REAL, (void*)wall, none));
  TRY(setitimer(ITIMER_PROF, none, none));
  TRY(setitimer((__itimer_which_t)77, (void*)readable, none));
}

static char* const nothing[] = {NULL};

static void processes(void) {
  TRY(execve(none, none, none));
  TRY(execve(wall, nothing, nothing));
  TRY(execve("/no/such/program", (void*)wall, (void*)wall));
  TRY(execve("/bin/true", (void*)wall, nothing));
  TRY(execve("/bin/true", nothing, (void*)wall));
  TRY(execv(none, none));
  TRY(execv("/dev/null", nothing));
  TRY(execvp(none, none));
  TRY(execvp("", nothing));
  TRY(execvp(wall, nothing));
  TRY(execvp("no-such-program-anywhere", nothing));
  TRY(execvpe("no-such-program-anywhere", nothing, (void*)wall));
  TRY(fexecve(bad, nothing, nothing));
  TRY(fexecve(data, none, nothing));
  TRY(fexecve(data, nothing, none));
  TRY(fexecve(data, nothing, nothing));
  TRY(execveat(bad, none, nothing, nothing, 0));
  TRY(execveat(bad, wall, nothing, nothing, AT_EMPTY_PATH));
  TRY(execl(none, none, none));
  TRY(execl("/no/such/program", "a", "b", "c", "d", "e", "f", "g", "h", none));
  TRY(execle(none, "a", none, nothing));
  TRY(execlp("no-such-program-anywhere", "a", none));
  TRY(posix_spawn(&number, "/bin/true", none, none, nothing, (void*)wall));
  TRY(posix_spawnp(&number, none, none, none, nothing, nothing));
  TRY(posix_spawn(&number, wall, none, none, (void*)wall, nothing));
  TRY(chroot(none));
  TRY(chroot(wall));
  TRY(chroot("/no/such/folder"));
  TRY(prctl(bad));
  TRY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, none));
  TRY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, wall));
  TRY(prctl(PR_SET_NAME, wall));
  TRY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, none));
  TRY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, wall));
  TRY(syscall(SYS_seccomp, 77, 77, wall));
  TRY(syscall(SYS_futex, none, 0, 1, none));
  TRY(syscall(SYS_futex, wall, 0, 1, wall));
  TRY(syscall(SYS_read, bad, wall, 1));
  TRY(syscall(-1));
  TRY(dlclose(none));
  TRY(pthread_create(none, none, none, none));
}

int main(int count, char** arguments) {
  static const struct {
    const char* name;
    void (*run)(void);
  } parts[] = {{"streams", streams}, {"descriptors", descriptors}, {"locks", locks},
               {"sleeps", sleeps},   {"children", children},       {"signals", signals},
               {"processes", processes}};
  static char stack[65536];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  action.sa_sigaction = fault;
  sigaltstack(&alternate, NULL);
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  /* What is before the wall can be read and written. */
  char* pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  wall = pages + 4096;
  readable = pages + 8192;
  mprotect(wall, 4096, PROT_NONE);
  mprotect(readable, 4096, PROT_READ);
  data = open(arguments[0], O_RDONLY | O_CLOEXEC);
  for (size_t i = 0; count > 1 && i < sizeof parts / sizeof *parts; ++i) {
    if (strcmp(parts[i].name, arguments[1]) == 0) parts[i].run();
  }
  return 0;
}
