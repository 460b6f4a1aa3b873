"""The functions of libc that the collector interposes: how each is called by a test program, and what
of its arguments a library in front of it or behind it notes.

Each entry: the arguments (i: a number; s: a text; p: a pointer, null or not; .: not noted), and statements
of C that call the function and set `result`. Those in ENDING do not return: each runs in a child.
"""

FUNCTIONS = {
    "chroot": ("s", 'result = chroot("/no/such/folder");'),
    "pthread_create": ("ppp", "result = pthread_create(&thread, NULL, nothing, NULL);"
                               "libc_join(thread);"),
    "thrd_create": ("pp", "thrd_t started; result = thrd_create(&started, (thrd_start_t)nothing, NULL);"
                           "libc_join((pthread_t)started);"),
    "dlclose": ("p", 'result = dlclose(dlopen("libm.so.6", RTLD_NOW));'),
    "_Fork": ("", "process = _Fork(); if (process == 0) end_child(5); result = status_of(process);"),
    "posix_spawn": ("pspppp", 'result = posix_spawn(&process, "/bin/false", NULL, NULL, words, environ);'
                              "status_of(process);"),
    "posix_spawnp": ("pspppp", 'result = posix_spawnp(&process, "false", NULL, NULL, words, environ);'
                               "status_of(process);"),
    # Signals.
    "sigaction": ("ipp", "result = sigaction(SIGUSR2, &action, &old_action);"),
    "signal": ("ip", "result = signal(SIGUSR2, SIG_IGN) == SIG_ERR;"),
    "bsd_signal": ("ip", "result = bsd_signal(SIGUSR2, SIG_DFL) == SIG_ERR;"),
    "ssignal": ("ip", "result = ssignal(SIGUSR2, SIG_IGN) == SIG_ERR;"),
    "sysv_signal": ("ip", "result = sysv_signal(SIGUSR2, SIG_DFL) == SIG_ERR;"),
    "__sysv_signal": ("ip", "result = __sysv_signal(SIGUSR2, SIG_IGN) == SIG_ERR;"),
    "sigprocmask": ("ipp", "result = sigprocmask(SIG_BLOCK, &some_signals, &old_signals);"),
    "pthread_sigmask": ("ipp", "result = pthread_sigmask(SIG_BLOCK, &some_signals, NULL);"),
    "setitimer": ("ipp", "result = setitimer(ITIMER_REAL, &no_timer, NULL);"),
    "sigwait": ("pp", "send_one(); result = sigwait(&some_signals, &number);"),
    "sigwaitinfo": ("pp", "send_one(); result = sigwaitinfo(&some_signals, &information);"),
    "sigtimedwait": ("ppp", "result = sigtimedwait(&some_signals, NULL, &no_time);"),
    "signalfd": ("ipi", "result = signalfd(-1, &some_signals, 77);"),
    # System calls.
    "prctl": ("i", 'result = prctl(PR_SET_NAME, "named");'),
    "syscall": ("i", "result = syscall(SYS_dup3, -1, -1, 0);"
                        "result += syscall(SYS_futex, &number, 0, number + 1, NULL);"
                        "result += syscall(SYS_seccomp, 77, 0, NULL);"
                        "result += syscall(SYS_prctl, PR_GET_NAME, bytes, 0, 0, 0);"),
    # Locks.
    "pthread_mutex_lock": ("p", "result = pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);"
                                "result += pthread_mutex_lock(&checked);"
                                "result += pthread_mutex_lock(&checked);"
                                "pthread_mutex_unlock(&checked);"),
    "pthread_mutex_trylock": ("p", "result = pthread_mutex_trylock(&mutex); pthread_mutex_unlock(&mutex);"),
    "pthread_mutex_timedlock": ("pp", "result = pthread_mutex_timedlock(&mutex, &no_time);"
                                      "result += pthread_mutex_timedlock(&mutex, &no_time);"
                                      "pthread_mutex_unlock(&mutex);"),
    "pthread_mutex_clocklock": ("pip", "result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &no_time);"
                                       "pthread_mutex_unlock(&mutex);"),
    "mtx_lock": ("p", "result = mtx_lock(&plain_mutex); mtx_unlock(&plain_mutex);"),
    "mtx_trylock": ("p", "result = mtx_trylock(&plain_mutex); mtx_unlock(&plain_mutex);"),
    "mtx_timedlock": ("pp", "result = mtx_timedlock(&plain_mutex, &no_time); mtx_unlock(&plain_mutex);"),
    "pthread_rwlock_rdlock": ("p", "result = pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock);"),
    "pthread_rwlock_wrlock": ("p", "result = pthread_rwlock_wrlock(&rwlock);"
                                   "result += pthread_rwlock_wrlock(&rwlock);"
                                   "pthread_rwlock_unlock(&rwlock);"),
    "pthread_rwlock_timedrdlock": ("pp", "result = pthread_rwlock_timedrdlock(&rwlock, &no_time);"
                                         "pthread_rwlock_unlock(&rwlock);"),
    "pthread_rwlock_timedwrlock": ("pp", "result = pthread_rwlock_timedwrlock(&rwlock, &no_time);"
                                         "pthread_rwlock_unlock(&rwlock);"),
    "pthread_rwlock_clockrdlock": ("pip", "result = pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC,"
                                          "&no_time); pthread_rwlock_unlock(&rwlock);"),
    "pthread_rwlock_clockwrlock": ("pip", "result = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC,"
                                          "&no_time); pthread_rwlock_unlock(&rwlock);"),
    "pthread_spin_lock": ("p", "result = pthread_spin_lock(&spin); pthread_spin_unlock(&spin);"),
    "flock": ("ii", "result = flock(-1, LOCK_EX);"),
    "lockf": ("iii", "result = lockf(-1, F_LOCK, 7);"),
    "lockf64": ("iii", "result = lockf64(-1, F_TEST, 7);"),
    "fcntl": ("iip", "result = fcntl(-1, F_SETLKW, &file_lock); result += plain_fcntl(-1, F_GETFD, 0);"),
    "fcntl64": ("iip", "result = fcntl64(-1, F_SETLKW, &file_lock);"),
    # Threads.
    "pthread_cond_wait": ("pp", "begin_waking(); result = pthread_cond_wait(&condition, &mutex);"
                                "end_waking();"),
    "pthread_cond_timedwait": ("ppp", "pthread_mutex_trylock(&mutex);"
                                      "result = pthread_cond_timedwait(&condition, &mutex, &no_time);"
                                      "pthread_mutex_unlock(&mutex);"),
    "pthread_cond_clockwait": ("ppip", "pthread_mutex_trylock(&mutex);"
                                       "result = pthread_cond_clockwait(&condition, &mutex,"
                                       "CLOCK_MONOTONIC, &no_time); pthread_mutex_unlock(&mutex);"),
    "cnd_wait": ("pp", "begin_waking(); result = cnd_wait(&plain_condition, &plain_mutex);"
                       "end_waking();"),
    "cnd_timedwait": ("ppp", "mtx_trylock(&plain_mutex);"
                             "result = cnd_timedwait(&plain_condition, &plain_mutex, &no_time);"
                             "mtx_unlock(&plain_mutex);"),
    "sem_wait": ("p", "sem_post(&semaphore); result = sem_wait(&semaphore);"),
    "sem_timedwait": ("pp", "result = sem_timedwait(&semaphore, &no_time);"),
    "sem_clockwait": ("pip", "result = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &no_time);"),
    "pthread_barrier_wait": ("p", "result = pthread_barrier_wait(&barrier);"),
    "pthread_join": (".p", "result = pthread_join(pthread_self(), NULL);"),
    "pthread_timedjoin_np": (".pp", "result = pthread_timedjoin_np(pthread_self(), NULL, &no_time);"),
    "pthread_clockjoin_np": (".pip", "result = pthread_clockjoin_np(pthread_self(), NULL, CLOCK_MONOTONIC,"
                                     "&no_time);"),
    "thrd_join": (".p", "result = thrd_join(thrd_current(), NULL);"),
    # Sleep.
    "nanosleep": ("pp", "result = nanosleep(&invalid_time, NULL);"),
    "clock_nanosleep": ("iipp", "result = clock_nanosleep(CLOCK_MONOTONIC, 0, &no_time, NULL);"),
    "usleep": ("i", "result = usleep(1);"),
    "sleep": ("i", "result = sleep(0);"),
    "thrd_sleep": ("pp", "result = thrd_sleep(&no_time, NULL);"),
    # Files and connections.
    "read": ("ipi", "result = read(-1, bytes, 3);"),
    "write": ("ipi", "result = write(-1, bytes, 3);"),
    "readv": ("ipi", "result = readv(-1, NULL, 3);"),
    "writev": ("ipi", "result = writev(-1, NULL, 3);"),
    "pread": ("ipii", "result = plain_pread(-1, bytes, 3, 4);"),
    "pread64": ("ipii", "result = pread64(-1, bytes, 3, 4);"),
    "pwrite": ("ipii", "result = pwrite(-1, bytes, 3, 4);"),
    "pwrite64": ("ipii", "result = pwrite64(-1, bytes, 3, 4);"),
    "preadv": ("ipii", "result = preadv(-1, NULL, 3, 4);"),
    "preadv64": ("ipii", "result = preadv64(-1, NULL, 3, 4);"),
    "pwritev": ("ipii", "result = pwritev(-1, NULL, 3, 4);"),
    "pwritev64": ("ipii", "result = pwritev64(-1, NULL, 3, 4);"),
    "__read_chk": ("ipii", "result = __read_chk(-1, bytes, 3, 64);"),
    "__pread_chk": ("ipiii", "result = __pread_chk(-1, bytes, 3, 4, 64);"),
    "__pread64_chk": ("ipiii", "result = __pread64_chk(-1, bytes, 3, 4, 64);"),
    "sendfile": ("iipi", "result = sendfile(-1, -1, NULL, 3);"),
    "sendfile64": ("iipi", "result = sendfile64(-1, -1, NULL, 3);"),
    "fsync": ("i", "result = fsync(-1);"),
    "fdatasync": ("i", "result = fdatasync(-1);"),
    "recv": ("ipii", "result = recv(-1, bytes, 3, 4);"),
    "recvfrom": ("ipiipp", "result = recvfrom(-1, bytes, 3, 4, NULL, NULL);"),
    "recvmsg": ("ipi", "result = recvmsg(-1, &message, 4);"),
    "recvmmsg": ("ipiip", "result = recvmmsg(-1, NULL, 3, 4, NULL);"),
    "__recv_chk": ("ipiii", "result = __recv_chk(-1, bytes, 3, 64, 4);"),
    "__recvfrom_chk": ("ipiiipp", "result = __recvfrom_chk(-1, bytes, 3, 64, 4, NULL, NULL);"),
    "send": ("ipii", "result = send(-1, bytes, 3, 4);"),
    "sendto": ("ipiipi", "result = sendto(-1, bytes, 3, 4, NULL, 0);"),
    "sendmsg": ("ipi", "result = sendmsg(-1, &message, 4);"),
    "sendmmsg": ("ipii", "result = sendmmsg(-1, NULL, 3, 4);"),
    "accept": ("ipp", "result = accept(-1, NULL, NULL);"),
    "accept4": ("ippi", "result = accept4(-1, NULL, NULL, 4);"),
    "connect": ("ipi", "result = connect(-1, NULL, 16);"),
    "getaddrinfo": ("sspp", 'result = getaddrinfo("127.0.0.1", "80", &numeric, &found);'),
    "poll": ("pii", "result = poll(NULL, 0, 1);"),
    "ppoll": ("pipp", "result = ppoll(NULL, 0, &no_time, NULL);"),
    "__poll_chk": ("piii", "result = __poll_chk(&polled, 1, 0, sizeof polled);"),
    "__ppoll_chk": ("pippi", "result = __ppoll_chk(&polled, 1, &no_time, NULL, sizeof polled);"),
    "select": ("ipppp", "result = select(0, NULL, NULL, NULL, &no_time_at_all);"),
    "pselect": ("ippppp", "result = pselect(0, NULL, NULL, NULL, &no_time, NULL);"),
    "epoll_wait": ("ipii", "result = epoll_wait(-1, &event, 1, 0);"),
    "epoll_pwait": ("ipiip", "result = epoll_pwait(-1, &event, 1, 0, NULL);"),
    # Streams.
    "fread": ("piip", "result = fread(bytes, 1, 3, stream);"),
    "__fread_chk": ("piiip", "result = __fread_chk(bytes, 64, 1, 3, stream);"),
    "fgets": ("pip", "result = fgets(bytes, 4, stream) == bytes;"),
    "__fgets_chk": ("piip", "result = __fgets_chk(bytes, 64, 4, stream) == bytes;"),
    "getline": ("ppp", "result = getline(&line, &size, stream);"),
    "getdelim": ("ppip", "result = getdelim(&line, &size, 'x', stream);"),
    "__getdelim": ("ppip", "result = __getdelim(&line, &size, 'x', stream);"),
    "fflush": ("p", "result = fflush(stream);"),
    # Children.
    "wait": ("p", "result = wait(&number);"),
    "waitpid": ("ipi", "result = waitpid(-1, &number, 0);"),
    "wait3": ("pip", "result = wait3(&number, 0, NULL);"),
    "wait4": ("ipip", "result = wait4(-1, &number, 0, NULL);"),
    "waitid": ("iipi", "result = waitid(P_ALL, 0, NULL, WEXITED);"),
    "system": ("s", 'result = system("exit 3");'),
    "pclose": ("p", 'result = pclose(popen("exit 4", "r"));'),
}

ENDING = {
    "_exit": ("i", "_exit(3);"),
    "_Exit": ("i", "_Exit(4);"),
    "abort": ("", "abort();"),
    "__assert_fail": ("ssis", '__assert_fail("a", "b", 3, "c");'),
    "execve": ("spp", 'execve("/bin/false", words, environ);'),
    "execv": ("sp", 'execv("/bin/false", words);'),
    "execvp": ("sp", 'execvp("false", words);'),
    "execvpe": ("spp", 'execvpe("false", words, environ);'),
    "execveat": ("isppi", 'execveat(-100, "/bin/false", words, environ, 0);'),
    "fexecve": (".pp", 'fexecve(open("/bin/false", O_RDONLY | O_CLOEXEC), words, environ);'),
    "execl": ("sss", 'execl("/bin/false", "a", "b", NULL);'),
    "execlp": ("sssssssssssss", 'execlp("sh", "sh", "-c", "exit $(($3 + $8 + $#))", "0", "1", "2", "3", "4",'
                               '"5", "6", "7", "8", NULL);'),
    "execle": ("ssss", 'execle("/bin/sh", "sh", "-c", "exit $GIVEN", NULL, given);'),
}

# What the collector calls of libc while it measures waits, besides the functions themselves.
TRIED = {name: ("p", "") for name in (
    "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock", "pthread_spin_trylock", "sem_trywait")}

# Its own, in place of libc's: what compilers call, and the interface of libc's profiler.
REPLACED = {
    "mcount", "_mcount", "__mcount", "__fentry__", "__monstartup", "monstartup", "_mcleanup", "moncontrol",
    "profil", "__cyg_profile_func_enter", "__cyg_profile_func_exit", "__sanitizer_cov_trace_pc",
    "__sanitizer_cov_trace_pc_guard", "__sanitizer_cov_trace_pc_guard_init", "__sanitizer_cov_pcs_init",
    "gprof_dump", "gprof_reset", "gprof_control", "gprof_runtime_version",
}

INCLUDES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
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
"""

PROGRAM_START = INCLUDES + """
sighandler_t bsd_signal(int, sighandler_t);
sighandler_t ssignal(int, sighandler_t);
sighandler_t __sysv_signal(int, sighandler_t);
pid_t _Fork(void);
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off_t, size_t);
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, void*, void*);
int __poll_chk(struct pollfd*, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd*, nfds_t, const struct timespec*, const sigset_t*, size_t);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
int fcntl64(int, int, ...);
/* Versions of glibc declare these as others. */
int plain_fcntl(int, int, ...) __asm__("fcntl");
ssize_t plain_pread(int, void*, size_t, off_t) __asm__("pread");

static void (*note_calls)(int);
static char bytes[64], *line;
static size_t size;
static int number;
static pid_t process;
static pthread_t thread;
static struct timespec no_time, invalid_time = {0, -1};
static struct timeval no_time_at_all;
static struct itimerval no_timer;
static struct sigaction action, old_action;
static sigset_t some_signals, old_signals;
static siginfo_t information;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static mtx_t plain_mutex;
static cnd_t plain_condition;
static sem_t semaphore;
static struct flock file_lock = {.l_type = F_WRLCK};
static struct msghdr message;
static struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
static struct pollfd polled = {.fd = -1};
static struct epoll_event event;
static FILE* stream;
static char* words[] = {"a", "b", NULL};
static char* given[] = {"GIVEN=6", NULL};

static void* nothing(void* unused) { return unused; }

/* These call the kernel, so that no library sees them. */
static long ask_kernel(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#endif
}
static int status_of(pid_t child) {
  int status = -1;
  ask_kernel(SYS_wait4, child, (long)&status, 0, 0);
  return status;
}
static void end_child(int status) { ask_kernel(SYS_exit_group, status, 0, 0, 0); }
static void send_one(void) { ask_kernel(SYS_tkill, ask_kernel(SYS_gettid, 0, 0, 0, 0), SIGUSR1, 0, 0); }
static void libc_join(pthread_t joined) {
  note_calls(0);
  pthread_join(joined, NULL);
  note_calls(1);
}

/* Wakes who waits for a condition until that is over. */
static volatile int is_over;
static void* wake(void* unused) {
  const struct timespec moment = {0, 1000000};
  while (!is_over) {
    pthread_cond_signal(&condition);
    cnd_signal(&plain_condition);
    ask_kernel(SYS_nanosleep, (long)&moment, 0, 0, 0);
  }
  return unused;
}
static void begin_waking(void) {
  note_calls(0);
  is_over = 0;
  pthread_create(&thread, NULL, wake, NULL);
  pthread_mutex_lock(&mutex);
  mtx_lock(&plain_mutex);
  note_calls(1);
}
static void end_waking(void) {
  is_over = 1;
  libc_join(thread);
  pthread_mutex_unlock(&mutex);
  mtx_unlock(&plain_mutex);
}

static void report(const char* name, long result, int error) {
  note_calls(0);
  printf("%s: %ld, errno %d\\n", name, result, error);
  fflush(stdout);
}

/* Without a library that notes calls. */
static void note_nothing(int unused) { (void)unused; }

static void prepare(void) {
  note_calls = (void (*)(int))dlsym(RTLD_DEFAULT, "interposed_note_calls");
  if (note_calls == NULL) note_calls = note_nothing;
  sigemptyset(&some_signals);
  sigaddset(&some_signals, SIGUSR1);
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&barrier, NULL, 1);
  mtx_init(&plain_mutex, mtx_timed);
  cnd_init(&plain_condition);
  sem_init(&semaphore, 0, 0);
  action.sa_handler = SIG_IGN;
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  stream = tmpfile();
  for (int i = 0; i < 50; ++i) fputs("a text of 25 characters\\n", stream);
  rewind(stream);
}
"""

LIBRARY_START = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
static int is_noting;
void interposed_note_calls(int on) { is_noting = on; }

static void put(const char* text, long size) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_write), "D"(NOTES), "S"(text), "d"(size)
                   : "rcx", "r11", "memory");
#else
  register long x8 __asm__("x8") = SYS_write;
  register long x0 __asm__("x0") = NOTES;
  register long x1 __asm__("x1") = (long)text;
  register long x2 __asm__("x2") = size;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
#endif
}

/* One line for a call, written at once. */
static void note(const char* name, const char* kinds, const long* words) {
  char line[400];
  long size = 0;
  if (!is_noting) return;
  for (; *name != 0; ++name) line[size++] = *name;
  for (; *kinds != 0; ++kinds, ++words) {
    line[size++] = ' ';
    if (*kinds == 's' && *words != 0) {
      for (const char* text = (const char*)*words; *text != 0 && size < 380; ++text) line[size++] = *text;
    } else if (*kinds == 'i') {
      int left = (int)*words;
      if (left < 0) line[size++] = '-';
      char digits[12];
      int count = 0;
      do {
        digits[count++] = (char)('0' + (left < 0 ? -(left % 10) : left % 10));
        left /= 10;
      } while (left != 0);
      while (count > 0) line[size++] = digits[--count];
    } else {
      line[size++] = *kinds == '.' ? '.' : *words == 0 ? '0' : 'p';
    }
  }
  line[size++] = '\\n';
  put(line, size);
}

/* Passes on more words than any of the functions takes. */
typedef long Function(long, long, long, long, long, long, long, long, long, long, long, long, long, long);
#define INTERPOSE(name, kinds)                                                                       \\
  long interposed_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i,     \\
                         long j, long k, long l, long m, long n) __asm__(#name);                     \\
  long interposed_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i,     \\
                         long j, long k, long l, long m, long n) {                                   \\
    static Function* next;                                                                           \\
    const long words[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n};                                 \\
    note(#name, kinds, words);                                                                       \\
    if (next == 0) next = (Function*)dlsym(RTLD_NEXT, #name);                                        \\
    return next(a, b, c, d, e, f, g, h, i, j, k, l, m, n);                                           \\
  }
"""


def program():
    """The source of the program that calls every function."""
    cases = []
    for name, (_, code) in FUNCTIONS.items():
        cases.append(f"  {{ long result = 0; note_calls(1); errno = 0; {code}\n"
                     f'    report("{name}", result, errno); }}\n')
    for name, (_, code) in ENDING.items():
        for how in ("fork", "vfork") if name.startswith(("_e", "_E", "exec")) else ("fork",):
            cases.append(f"  note_calls(1); process = {how}(); if (process == 0) {{ {code} end_child(99); }}\n"
                         f'  report("{name} in the child of {how}", status_of(process), 0);\n')
    return PROGRAM_START + "int main(void) {\n  prepare();\n" + "".join(cases) + "  return 0;\n}\n"


def library(notes):
    """The source of a library that notes every call on the descriptor, and passes it on."""
    lines = [f'INTERPOSE({name}, "{kinds}")\n'
             for name, (kinds, _) in (FUNCTIONS | ENDING | TRIED).items()]
    return LIBRARY_START.replace("NOTES", str(notes)) + "".join(lines)
