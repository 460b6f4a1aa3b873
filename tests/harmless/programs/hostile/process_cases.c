/* Processes: descriptors, limits, forks, images, users, roots, tracers. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "cases.h"

extern char** environ;

static void compute(long times) {
  static volatile double sum;
  for (volatile long i = 0; i < times; ++i) sum += (double)i;
}

static void leave_no_core(void) { setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); }

static void print_status(const char* what, int status) {
  if (WIFSIGNALED(status)) {
    printf("%s: signal %d\n", what, WTERMSIG(status));
  } else {
    printf("%s: %d\n", what, WEXITSTATUS(status));
  }
  fflush(stdout);
}

/* Runs `function` in a child and says how that ended. */
static void in_child(const char* what, int (*function)(void)) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    leave_no_core();
    _exit(function());
  }
  EXPECT(waitpid(child, &status, 0) == child);
  print_status(what, status);
}

static int closed_descriptors(int count, char** words) {
  const int first = count > 0 ? atoi(words[0]) : 3;
  for (int i = first; i < 1024; ++i) close(i);
  if (first == 0) {
    for (int i = 0; i < 3; ++i) {
      if (open("own", O_RDWR | O_CREAT | O_APPEND, 0600) != i) return 1;
    }
  }
  for (int i = 3; i < 60; ++i) {
    if (open("own", O_RDWR | O_CREAT, 0600) != i) return 2;
  }
  /* All others as well. */
  for (int i = 60; i < 1000; ++i) {
    if (dup2(3, i) != i) return 3;
  }
  compute(20000000);
  for (int i = 60; i < 1000; ++i) {
    struct stat status;
    if (fstat(i, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != 0) return 4;
  }
  return 5;
}

static int open_until_full(void) {
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, 16});
  int opened = 0;
  while (open("/dev/null", O_RDONLY) >= 0) ++opened;
  return opened;
}
static int write_too_much(void) {
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192});
  signal(SIGXFSZ, SIG_DFL);
  const int file = open("large", O_RDWR | O_CREAT, 0600);
  static char bytes[8192];
  if (write(file, bytes, sizeof bytes) != sizeof bytes) return 1;
  compute(10000000);
  return write(file, bytes, 1) == -1 ? 2 : 3;
}
static int compute_too_long(void) {
  setrlimit(RLIMIT_CPU, &(struct rlimit){1, 3});
  for (;;) compute(1000000);
  return 0;
}
static int use_little_memory(void) {
  setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, (rlim_t)1 << 30});
  compute(20000000);
  return malloc((size_t)2 << 30) == NULL ? 9 : 8;
}
static int start_no_process(void) {
  setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0});
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 1;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child < 0 ? 7 : 6;
}
static int queue_nothing(void) {
  setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){0, 0});
  compute(50000000);
  return 4;
}
static int lock_nothing(void) {
  setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){0, 0});
  compute(20000000);
  return 3;
}

static int limits(int count, char** words) {
  (void)count, (void)words;
  in_child("descriptors", open_until_full);
  in_child("file size", write_too_much);
  in_child("processor time", compute_too_long);
  in_child("memory", use_little_memory);
  in_child("processes", start_no_process);
  in_child("queued signals", queue_nothing);
  in_child("locked memory", lock_nothing);
  return 0;
}

static int run_nothing(void) { return 1; }
static int run_fork(void) { return fork() == 0 ? 2 : wait(NULL) > 0; }
static int run_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) _exit(3);
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
static int run_raw_fork(void) {
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) exit(4);
  int status;
  waitpid((pid_t)child, &status, 0);
  return WEXITSTATUS(status);
}
static int run_chain(void) {
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child != 0) {
      int status;
      waitpid(child, &status, 0);
      _exit(WEXITSTATUS(status) + 1);
    }
  }
  return 5;
}

static int forks(int count, char** words) {
  (void)count, (void)words;
  in_child("nothing", run_nothing);
  in_child("fork", run_fork);
  in_child("vfork", run_vfork);
  in_child("raw fork", run_raw_fork);
  in_child("chain", run_chain);
  int sum = 0;
  for (int i = 0; i < 150; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(i % 100);
    int status;
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  printf("%d\n", sum);
  EXPECT(wait(NULL) == -1 && errno == ECHILD);
  return 0;
}

static int daemonize(int count, char** words) {
  (void)count, (void)words;
  EXPECT(daemon(1, 1) == 0);
  if (write(1, "daemon\n", 7) != 7) return 1;
  prctl(PR_SET_NAME, "own-daemon");
  for (;;) pause();
}

static void* execute(void* argument) {
  char* words[] = {"sh", "-c", "echo \"new image: $0 $NAME\"; exit 8", NULL};
  char* environment[] = {"NAME=value", NULL};
  execve("/nowhere/at/all", words, environ);
  execve("/bin/sh", words, *(int*)argument ? environment : environ);
  return NULL;
}
static void* spin(void* argument) {
  for (volatile long i = 0;; ++i) continue;
  return argument;
}

/* The word: whether the new image has another environment, and we are not in it. */
static int executes_in_thread(int count, char** words) {
  static int emptied;
  pthread_t thread;
  emptied = count > 0 ? atoi(words[0]) : 0;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, spin, NULL);
  pthread_create(&thread, NULL, execute, &emptied);
  pthread_join(thread, NULL);
  return 1;
}

static int executes_file(int count, char** words) {
  (void)count, (void)words;
  char* command[] = {"", "-c", "exit 9", NULL};
  const int file = open("/bin/sh", O_RDONLY | O_CLOEXEC);
  EXPECT(file >= 0);
  fexecve(file, command, environ);
  return 1;
}

static int become_user(void) {
  if (setgid(65534) != 0 || setuid(65534) != 0) return 1;
  compute(20000000);
  return getuid() == 65534 && geteuid() == 65534 ? 2 : 3;
}
static int change_root(void) {
  mkdir("root", 0700);
  if (chroot("root") != 0 || chdir("/") != 0) return 1;
  compute(20000000);
  DIR* directory = opendir("/");
  int entries = 0;
  while (directory != NULL && readdir(directory) != NULL) ++entries;
  return entries; /* . and .. */
}
static int leave_namespaces(void) {
  if (unshare(CLONE_FS | CLONE_FILES | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID) !=
      0)
    return 1;
  const pid_t child = fork();
  if (child == 0) _exit(getpid() == 1 ? 4 : 5);
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
static int change_directory(void) {
  mkdir("gone", 0700);
  if (chdir("gone") != 0 || rmdir("../gone") != 0) return 1;
  compute(20000000);
  return 3;
}
static int hide_process(void) {
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "hidden");
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  compute(20000000);
  return strcmp(name, "hidden") == 0 ? 6 : 7;
}

static int places(int count, char** words) {
  (void)count, (void)words;
  in_child("user", become_user);
  in_child("root", change_root);
  in_child("namespaces", leave_namespaces);
  in_child("directory", change_directory);
  in_child("hidden", hide_process);
  return 0;
}

static int filter(uint32_t call, uint32_t action) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog all = {sizeof program / sizeof *program, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}
static int by_call(int call) {
  if (filter((uint32_t)call, SECCOMP_RET_KILL_PROCESS) != 0) return 1;
  compute(20000000);
  return 2;
}
static int without_open(void) { return by_call(SYS_openat); }
static int without_timers(void) { return by_call(SYS_timer_create); }
static int without_events(void) { return by_call(SYS_perf_event_open); }
static int without_mappings(void) { return by_call(SYS_mmap); }
static int without_signals(void) { return by_call(SYS_tgkill); }
static int without_renames(void) { return by_call(SYS_renameat2); }
static int in_threads(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, spin, NULL);
  struct sock_filter program[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog all = {1, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &all) != 0) return 1;
  compute(20000000);
  return 2;
}
static int strict(void) {
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 1;
  compute(20000000);
  syscall(SYS_exit, 2);
  return 3;
}

static int filters(int count, char** words) {
  (void)count, (void)words;
  in_child("no files", without_open);
  in_child("no timers", without_timers);
  in_child("no events", without_events);
  in_child("no mappings", without_mappings);
  in_child("no signals", without_signals);
  in_child("no renames", without_renames);
  in_child("all threads", in_threads);
  in_child("strict", strict);
  return 0;
}

/* Steps through a child that computes, instruction by instruction, and lets it go. */
static int traces(int count, char** words) {
  (void)count, (void)words;
  const pid_t child = fork();
  if (child == 0) {
    compute(30000000);
    _exit(11);
  }
  int status;
  EXPECT(ptrace(PTRACE_ATTACH, child, NULL, NULL) == 0);
  EXPECT(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
  for (int i = 0; i < 2000 && WIFSTOPPED(status); ++i) {
    const long number =
        WSTOPSIG(status) == SIGSTOP || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    EXPECT(ptrace(PTRACE_SINGLESTEP, child, NULL, (void*)number) == 0);
    EXPECT(waitpid(child, &status, 0) == child);
  }
  EXPECT(ptrace(PTRACE_DETACH, child, NULL, NULL) == 0);
  EXPECT(waitpid(child, &status, 0) == child);
  print_status("traced", status);
  return 0;
}

static int shells(int count, char** words) {
  (void)count, (void)words;
  for (int i = 0; i < 10; ++i) {
    char command[40], text[40] = "";
    sprintf(command, "echo %d; exit %d", i, i);
    FILE* stream = popen(command, "r");
    EXPECT(fgets(text, sizeof text, stream) == text);
    printf("%s", text);
    print_status("popen", pclose(stream));
    sprintf(command, "kill -%d $$", i % 3 == 0 ? SIGTERM : SIGKILL);
    print_status("system", system(command));
  }
  return 0;
}

static void goodbye(void) {
  puts("goodbye");
  fflush(stdout);
}
static void end_again(void) { _exit(12); }

static int endings(int count, char** words) {
  const char* how = count > 0 ? words[0] : "";
  leave_no_core();
  atexit(goodbye);
  at_quick_exit(goodbye);
  fflush(stdout);
  if (strcmp(how, "quick") == 0) quick_exit(1);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "group") == 0) syscall(SYS_exit_group, 2);
  if (strcmp(how, "last-thread") == 0) syscall(SYS_exit, 3);
  if (strcmp(how, "trap") == 0) __builtin_trap();
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "group-kill") == 0) kill(0, SIGTERM);
  if (strcmp(how, "in-handler") == 0) {
    atexit(end_again);
    exit(4);
  }
  return 5;
}

CASES({"closed-descriptors", closed_descriptors}, {"limits", limits}, {"forks", forks},
      {"daemon", daemonize}, {"executes-in-thread", executes_in_thread},
      {"executes-file", executes_file}, {"places", places}, {"filters", filters},
      {"traces", traces}, {"shells", shells}, {"endings", endings})
