/* Processes: forked, started, limited, killed; and how this one ends. */
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "random_program.h"

extern char** environ;

enum { most_depth = 2, status_bits = 63 };

uint64_t forked_work(struct worker* worker) {
  static action* const actions[] = {
      pipe_action,      memory_stream_action,  descriptors_action, socket_action,
      signal_action,    queued_signals_action, jump_action,        fault_action,
      mask_action,      timed_lock_action,     threads_action,     cancel_action,
      recursion_action, generated_code_action, coroutine_action,   sort_action,
      memory_action,    numbers_action,        timer_action};
  uint64_t sum = 0;
  for (int i = 1 + (int)random_below(worker, 4); i > 0; --i) {
    sum = sum * 31 + actions[random_below(worker, LENGTH(actions))](worker);
  }
  return sum;
}

static pthread_mutex_t linker = PTHREAD_MUTEX_INITIALIZER;

void lock_linker(void) { CHECK(pthread_mutex_lock(&linker) == 0); }
void unlock_linker(void) { CHECK(pthread_mutex_unlock(&linker) == 0); }

int is_forked;

pid_t fork_process(void) {
  lock_linker();
  const pid_t child = fork();
  const int error = errno;
  if (child == 0) is_forked = 1;
  unlock_linker();
  errno = error;
  return child;
}

static int wait_for(pid_t child) {
  int status = -1;
  struct rusage usage;
  siginfo_t information = {0};
  /* In one of several ways. */
  switch (child % 3) {
    case 0:
      CHECK(RETRY(waitpid(child, &status, 0)) == child);
      break;
    case 1:
      CHECK(RETRY(wait4(child, &status, 0, &usage)) == child);
      break;
    default:
      CHECK(RETRY(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT)) == 0);
      CHECK(information.si_pid == child);
      CHECK(RETRY(waitpid(child, &status, 0)) == child);
  }
  return status;
}

/* Files of core dumps would be differences by themselves. */
static void leave_no_core(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

static _Noreturn void end_child(struct worker* worker, uint64_t result) {
  if (random_below(worker, 4) == 0) syscall(SYS_exit_group, (int)(result & status_bits));
  _exit((int)(result & status_bits));
}

uint64_t fork_action(struct worker* worker) {
  struct worker own = {random_below(worker, UINT64_MAX), 0, worker->depth + 1};
  const int twice = random_below(worker, 4) == 0;
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    if (twice) {
      const pid_t second = fork_process();
      CHECK(second >= 0);
      if (second == 0) end_child(&own, forked_work(&own));
      const int status = wait_for(second);
      CHECK(WIFEXITED(status));
      _exit(WEXITSTATUS(status) ^ 1);
    }
    end_child(&own, forked_work(&own));
  }
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > status_bits) FAIL("child ended with %x", status);
  return (uint64_t)status;
}

uint64_t vfork_action(struct worker* worker) {
  const int status_wanted = (int)random_below(worker, 50);
  const int how = (int)random_below(worker, 3);
  char command[40];
  sprintf(command, "exit %d", status_wanted);
  const pid_t child = vfork();
  if (child == 0) {
    if (how == 0) _exit(status_wanted);
    if (how == 1) execl("/bin/sh", "sh", "-c", command, (char*)NULL);
    execl("/nowhere/at/all", "at", (char*)NULL);
    _exit(status_wanted);
  }
  CHECK(child > 0);
  const int status = wait_for(child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == status_wanted);
  return (uint64_t)status;
}

uint64_t spawn_action(struct worker* worker) {
  char command[60];
  const int status_wanted = (int)random_below(worker, 50);
  sprintf(command, "read x; exit $((x + %d))", status_wanted);
  char* words[] = {"sh", "-c", command, NULL};
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t set;
  sigemptyset(&set);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &set);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child;
  CHECK(posix_spawnp(&child, "sh", &actions, &attributes, words, environ) == 0);
  CHECK(write(ends[1], "7\n", 2) == 2);
  const int status = wait_for(child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == status_wanted + 7);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  CHECK(posix_spawn(&child, "/nowhere/at/all", NULL, NULL, words, environ) == ENOENT);
  return (uint64_t)status;
}

uint64_t shell_action(struct worker* worker) {
  char command[60], text[60] = "";
  const int number = (int)random_below(worker, 50);
  if (random_below(worker, 2)) {
    sprintf(command, "exit %d", number);
    const int status = system(command);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == number);
    return (uint64_t)status;
  }
  sprintf(command, "echo %d; exit 3", number);
  FILE* stream = popen(command, "re");
  CHECK(stream != NULL);
  /* A signal may interrupt it before there is anything. */
  while (fgets(text, sizeof text, stream) == NULL) {
    CHECK(has_timers && errno == EINTR);
    clearerr(stream);
  }
  CHECK(atoi(text) == number);
  const int status = pclose(stream);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  return (uint64_t)number;
}

uint64_t limits_action(struct worker* worker) {
  static const struct {
    int which;
    rlim_t limit;
  } limits[] = {{RLIMIT_NOFILE, 40},       {RLIMIT_NOFILE, 20},  {RLIMIT_SIGPENDING, 40},
                {RLIMIT_FSIZE, 1 << 20},   {RLIMIT_FSIZE, 4096}, {RLIMIT_AS, (rlim_t)3 << 30},
                {RLIMIT_STACK, 256 << 10}, {RLIMIT_MEMLOCK, 0},  {RLIMIT_SIGPENDING, 0},
                {RLIMIT_CPU, 100},         {RLIMIT_MSGQUEUE, 0}, {RLIMIT_NPROC, 4000}};
  const size_t chosen = random_below(worker, LENGTH(limits));
  struct worker own = {random_below(worker, UINT64_MAX), 0, worker->depth + 1};
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    struct rlimit limit = {limits[chosen].limit, limits[chosen].limit}, now;
    if (setrlimit(limits[chosen].which, &limit) != 0) _exit(62);
    CHECK(getrlimit(limits[chosen].which, &now) == 0 && now.rlim_cur == limit.rlim_cur);
    uint64_t result = 0;
    for (int i = 0; i < 4; ++i) result = result * 31 + numbers_action(&own) + sort_action(&own);
    if (limits[chosen].which != RLIMIT_SIGPENDING) result += queued_signals_action(&own);
    end_child(&own, result);
  }
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > status_bits)
    FAIL("limit %zu: child ended with %x", chosen, status);
  return (uint64_t)status;
}

/* Everything above standard error is closed; the first new descriptor is 3. */
uint64_t closed_descriptors_action(struct worker* worker) {
  struct worker own = {random_below(worker, UINT64_MAX), 0, worker->depth + 1};
  const int by_range = (int)random_below(worker, 2);
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    if (!by_range || syscall(SYS_close_range, 3u, ~0u, 0) != 0) {
      for (int i = 3; i < 1024; ++i) close(i);
    }
    const int first = open("/dev/null", O_RDWR);
    if (first != 3) FAIL("the first descriptor is %d", first);
    if (dup2(first, 500) != 500 || write(500, "x", 1) != 1) FAIL("descriptor 500");
    end_child(&own, forked_work(&own));
  }
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > status_bits) FAIL("child ended with %x", status);
  return (uint64_t)status;
}

/* Another random program, whose output is part of this one's. */
uint64_t execute_action(struct worker* worker) {
  const unsigned long long seed = random_below(worker, UINT64_MAX);
  if (worker->depth >= most_depth) return seed;
  char number[40], depth[20];
  sprintf(number, "%llu", seed);
  sprintf(depth, "%d", worker->depth + 1);
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    dup2(ends[1], 1);
    execl("/proc/self/exe", "random_program", number, depth, (char*)NULL);
    _exit(127);
  }
  close(ends[1]);
  uint64_t hash = 0;
  char byte;
  while (RETRY(read(ends[0], &byte, 1)) == 1) hash = hash * 31 + (unsigned char)byte;
  close(ends[0]);
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) >= 98) FAIL("program %llu %s failed", seed, depth);
  /* Without whether there is a core. */
  return hash * 31 + (uint64_t)(status & ~0x80);
}

/* Its parent traces the process, and passes on every signal. */
uint64_t traced_action(struct worker* worker) {
  struct worker own = {random_below(worker, UINT64_MAX), 0, worker->depth + 1};
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(97);
    raise(SIGSTOP);
    end_child(&own, numbers_action(&own) + sort_action(&own) + signal_action(&own));
  }
  int status;
  for (;;) {
    CHECK(RETRY(waitpid(child, &status, 0)) == child);
    if (!WIFSTOPPED(status)) break;
    const long number = WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
    CHECK(ptrace(PTRACE_CONT, child, NULL, (void*)number) == 0);
  }
  if (!WIFEXITED(status)) FAIL("traced child ended with %x", status);
  return (uint64_t)status;
}

static long refuse_parent(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 55),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {LENGTH(filter), filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Only what a computing process needs: everything else kills it. */
static long allow_little(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const struct sock_fprog program = {LENGTH(filter), filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static uint64_t compute(struct worker* worker) {
  volatile uint64_t sum = 0;
  for (uint64_t i = random_below(worker, 3000000); i > 0; --i) sum = sum * 3 + i;
  return sum;
}

uint64_t filtered_action(struct worker* worker) {
  struct worker own = {random_below(worker, UINT64_MAX), 0, worker->depth + 1};
  const int how = (int)random_below(worker, 3);
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(97);
    if (how == 0) {
      if (refuse_parent() != 0) _exit(96);
      CHECK(syscall(SYS_getppid) == -1 && errno == 55);
      end_child(&own, numbers_action(&own) + sort_action(&own));
    }
    if (how == 1) {
      if (allow_little() != 0) _exit(96);
      _exit((int)(compute(&own) & status_bits));
    }
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(96);
    syscall(SYS_exit, (int)(compute(&own) & status_bits));
  }
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > status_bits)
    FAIL("filter %d: child ended with %x", how, status);
  return (uint64_t)status;
}

static void (*volatile no_function)(void);
static int* volatile no_object;
static volatile int zero;

static void touch_end_of_file(void) {
  const int file = memfd_create("empty", 0);
  if (ftruncate(file, 1) != 0) return;
  volatile char* bytes = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
  if (ftruncate(file, 0) == 0 && bytes != MAP_FAILED) zero = bytes[0];
}

/* By a mistake, with whatever actions there are; which signal ends it. */
static const int crash_signals[] = {SIGSEGV, SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGABRT, SIGSEGV};

static _Noreturn void crash(uint64_t how) {
  switch (how) {
    case 0:
      zero = *no_object;
      break;
    case 1:
      no_function();
      break;
    case 2:
#if defined(__x86_64__)
      zero = 1000 / zero;
#else
      raise(SIGFPE);
#endif
      break;
    case 3:
#if defined(__x86_64__)
      __builtin_trap();
#else
      raise(SIGILL);
#endif
    case 4:
      touch_end_of_file();
      break;
    case 5:
      abort();
    default:
      raise(SIGSEGV);
  }
  _exit(97);
}

uint64_t killed_action(struct worker* worker) {
  static const int signals[] = {SIGKILL, SIGTERM,   SIGINT,  SIGHUP, SIGSEGV, SIGABRT,
                                SIGPROF, SIGVTALRM, SIGALRM, SIGIO,  SIGPIPE, SIGQUIT,
                                SIGXCPU, SIGXFSZ,   SIGUSR1, SIGSYS};
  const int crashes = random_below(worker, 2) == 0;
  const uint64_t how = random_below(worker, LENGTH(crash_signals));
  const int sent = signals[random_below(worker, LENGTH(signals))];
  const int chosen = crashes ? crash_signals[how] : sent;
  struct worker own = {random_below(worker, UINT64_MAX), 0, worker->depth + 1};
  const pid_t child = fork_process();
  CHECK(child >= 0);
  if (child == 0) {
    leave_no_core();
    compute(&own);
    if (crashes) crash(how);
    if (chosen != SIGKILL) signal(chosen, SIG_DFL);
    if (chosen == SIGABRT) abort();
    if (chosen == SIGALRM) alarm(1);
    if (chosen != SIGALRM) raise(chosen);
    for (;;) pause();
  }
  const int status = wait_for(child);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != chosen)
    FAIL("signal %d: child ended with %x", chosen, status);
  return (uint64_t)chosen;
}

static void* execute_in_thread(void* argument) {
  execl("/bin/sh", "sh", "-c", argument, (char*)NULL);
  return NULL;
}

static void* end_by_exit(void* argument) { exit(*(int*)argument); }
static void* end_at_once(void* argument) { _exit(*(int*)argument); }

static _Noreturn void end_in_thread(void* (*function)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, function, argument) == 0);
  for (;;) pause();
}

static void say_goodbye(void) {
  if (write(1, "handler\n", 8) != 8) _exit(98);
}

_Noreturn void end_process(struct worker* worker, uint64_t result) {
  static const int signals[] = {SIGKILL, SIGTERM, SIGSEGV, SIGINT, SIGUSR2, SIGPROF, SIGALRM};
  static int status;
  char command[40];
  status = (int)(result & status_bits);
  leave_no_core();
  const uint64_t how = random_below(worker, 14);
  const uint64_t crash_how = random_below(worker, LENGTH(crash_signals));
  if (random_below(worker, 2)) atexit(say_goodbye);
  if (random_below(worker, 2)) at_quick_exit(say_goodbye);
  /* What comes after may end without it. */
  if (how > 2) fflush(stdout);
  switch (how) {
    case 3:
      _exit(status);
    case 4:
      quick_exit(status);
    case 5:
      syscall(SYS_exit_group, status);
      _exit(97);
    case 6:
      if (!has_libc_thread) pthread_exit(NULL);
      exit(status);
    case 7:
      abort();
    case 8:
      end_in_thread(end_by_exit, &status);
    case 9:
      end_in_thread(end_at_once, &status);
    case 10:
      sprintf(command, "echo executed; exit %d", status);
      end_in_thread(execute_in_thread, command);
    case 11: {
      const int number = signals[random_below(worker, LENGTH(signals))];
      if (number != SIGKILL) signal(number, SIG_DFL);
      raise(number);
      _exit(97);
    }
    case 12:
      crash(crash_how);
    default:
      exit(status);
  }
}
