/* Signals to this thread and to the process, masks, handlers that jump, timers, faults. */
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "random_program.h"

/* Each purpose has its own signal. */
#define COUNTED SIGUSR1
#define WAITED SIGUSR2
#define QUEUED (SIGRTMIN + 3)
#define JUMPED (SIGRTMIN + 4)
#define TIMED (SIGRTMIN + 5)
#define INTERRUPTING (SIGRTMIN + 6)
#define ON_OWN_STACK (SIGRTMIN + 7)
#define OF_WORKER(worker) (SIGRTMIN + 9 + (worker)->number)

int has_timers;
int has_libc_thread;
static __thread volatile sig_atomic_t counted, timed, on_stack, has_jumped;
static __thread sigjmp_buf jump;
static __thread volatile int awaits_fault;
static __thread char* volatile unprotected;
static __thread volatile uintptr_t stack_low, stack_high;
static volatile long ticks;

static void count_signal(int number) {
  (void)number;
  ++counted;
}

static void tick(int number) {
  const int saved = errno;
  (void)number;
  __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
  errno = 12345;
  if (syscall(SYS_close, -1) != -1) abort();
  errno = saved;
}

/* Once: libc leaves a wait for a condition with its mutex, which a second jump would wait for. */
static void jump_out(int number) {
  if (has_jumped) return;
  has_jumped = 1;
  siglongjmp(jump, number);
}

static void count_timer(int number, siginfo_t* information, void* context) {
  (void)number;
  (void)context;
  if (information->si_code != SI_TIMER && information->si_code != SI_TKILL) abort();
  ++timed;
}

static void do_nothing(int number) { (void)number; }

static void note_stack(int number) {
  char here;
  (void)number;
  on_stack = (uintptr_t)&here >= stack_low && (uintptr_t)&here < stack_high;
}

/* Makes a page accessible whose access this thread expects to fail; else jumps. */
static void handle_fault(int number, siginfo_t* information, void* context) {
  (void)context;
  char* page = unprotected;
  if (page != NULL && (char*)information->si_addr >= page &&
      (char*)information->si_addr < page + 4096) {
    unprotected = NULL;
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0) return;
  }
  if (!awaits_fault) {
    /* Delivered on return from here, so that a core dump shows where the fault was. */
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  siglongjmp(jump, number);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_flags = flags};
  action.sa_handler = handler;
  CHECK(sigaction(number, &action, NULL) == 0);
}

static void handle_with_facts(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_flags = flags | SA_SIGINFO};
  action.sa_sigaction = handler;
  CHECK(sigaction(number, &action, NULL) == 0);
}

static void start_timer(int which, long microseconds) {
  const struct itimerval times = {{0, microseconds}, {0, microseconds}};
  CHECK(setitimer(which, &times, NULL) == 0);
}

void prepare_signals(struct worker* worker) {
  const int flags = random_below(worker, 2) ? SA_RESTART : 0;
  handle(COUNTED, count_signal, SA_RESTART);
  handle_with_facts(TIMED, count_timer, SA_RESTART);
  handle(JUMPED, jump_out, random_below(worker, 2) ? SA_NODEFER : 0);
  handle(INTERRUPTING, do_nothing, 0);
  handle(ON_OWN_STACK, note_stack, SA_ONSTACK);
  for (const int* number = (const int[]){SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, 0}; *number != 0;
       ++number) {
    handle_with_facts(*number, handle_fault, 0);
  }
  static const int timers[][2] = {
      {ITIMER_REAL, SIGALRM}, {ITIMER_VIRTUAL, SIGVTALRM}, {ITIMER_PROF, SIGPROF}};
  const uint64_t chosen = random_below(worker, 16);
  for (int i = 0; i < 3; ++i) {
    handle(timers[i][1], tick, flags);
    if ((chosen >> i & 1) == 0 || chosen >= 8) continue;
    has_timers = 1;
    start_timer(timers[i][0], 1000 + (long)random_below(worker, 4000));
  }
}

void stop_timers(void) {
  if (!has_timers) return;
  const struct itimerval none = {0};
  for (int which = ITIMER_REAL; which <= ITIMER_PROF; ++which)
    CHECK(setitimer(which, &none, NULL) == 0);
}

int await(int (*holds)(void*), void* of) {
  const struct timespec pause = {0, 200000};
  for (long i = 0; i < 500000; ++i) {
    if (holds(of)) return 1;
    nanosleep(&pause, NULL);
  }
  return 0;
}

static timer_t thread_timer(int number, const struct itimerspec* times) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  CHECK(timer_settime(timer, 0, times, NULL) == 0);
  return timer;
}

timer_t start_thread_timer(int number) {
  const struct itimerspec times = {{0, 1000000}, {0, 500000}};
  return thread_timer(number, &times);
}

void stop_thread_timer(timer_t timer) { CHECK(timer_delete(timer) == 0); }

uint64_t signal_action(struct worker* worker) {
  const int times = 1 + (int)random_below(worker, 20);
  const int before = counted;
  errno = 77;
  for (int i = 0; i < times; ++i) {
    switch (random_below(worker, 3)) {
      case 0:
        CHECK(pthread_kill(pthread_self(), COUNTED) == 0);
        break;
      case 1:
        CHECK(raise(COUNTED) == 0);
        break;
      default:
        CHECK(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), COUNTED) == 0);
    }
  }
  CHECK(counted == before + times && errno == 77);
  return (uint64_t)times;
}

/* Blocks one signal, or all of them but faults; returns the mask from before. */
static sigset_t block(int number) {
  sigset_t set, old;
  sigemptyset(&set);
  if (number != 0) {
    sigaddset(&set, number);
  } else {
    sigfillset(&set);
  }
  CHECK(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
  return old;
}

static void restore(const sigset_t* mask) { CHECK(pthread_sigmask(SIG_SETMASK, mask, NULL) == 0); }

uint64_t queued_signals_action(struct worker* worker) {
  const sigset_t old = block(random_below(worker, 2) ? QUEUED : 0);
  const int times = 1 + (int)random_below(worker, 12);
  for (int i = 0; i < times; ++i)
    CHECK(pthread_sigqueue(pthread_self(), QUEUED, (union sigval){i + 5}) == 0);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, QUEUED);
  const struct timespec limit = {1000, 0}, none = {0};
  for (int i = 0; i < times; ++i) {
    siginfo_t information;
    const int got = random_below(worker, 2)
                        ? (int)RETRY(sigwaitinfo(&wanted, &information))
                        : (int)RETRY(sigtimedwait(&wanted, &information, &limit));
    CHECK(got == QUEUED && information.si_value.sival_int == i + 5 &&
          information.si_code == SI_QUEUE);
    CHECK(information.si_pid == getpid());
  }
  CHECK(sigtimedwait(&wanted, NULL, &none) == -1);
  CHECK(errno == EAGAIN || (errno == EINTR && has_timers));
  restore(&old);
  return (uint64_t)times;
}

uint64_t wait_for_signal_action(struct worker* worker) {
  const sigset_t old = block(WAITED);
  CHECK(!sigismember(&old, WAITED) && !sigismember(&old, SIGPROF));
  CHECK(pthread_kill(pthread_self(), WAITED) == 0 && pthread_kill(pthread_self(), WAITED) == 0);
  sigset_t pending, wanted;
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, WAITED) == 1);
  /* Everything but what this thread may be sent at any time. */
  sigfillset(&wanted);
  for (const int* number = (const int[]){SIGCHLD, SIGALRM, SIGVTALRM, SIGPROF, 0}; *number != 0;
       ++number) {
    if (has_timers || *number == SIGCHLD) sigdelset(&wanted, *number);
  }
  int number = 0;
  if (random_below(worker, 2)) {
    CHECK(sigwait(&wanted, &number) == 0);
  } else {
    number = (int)RETRY(sigwaitinfo(&wanted, NULL));
  }
  CHECK(number == WAITED);
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, WAITED) == 0);
  restore(&old);
  return 2;
}

uint64_t descriptor_of_signals_action(struct worker* worker) {
  const sigset_t old = block(0);
  sigset_t set;
  sigfillset(&set);
  for (const int* number = (const int[]){SIGCHLD, SIGALRM, SIGVTALRM, SIGPROF, 0}; *number != 0;
       ++number) {
    if (has_timers || *number == SIGCHLD) sigdelset(&set, *number);
  }
  const int file = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  CHECK(file >= 0);
  struct signalfd_siginfo got[2];
  CHECK(read(file, got, sizeof got) == -1 && errno == EAGAIN);
  const int value = (int)random_below(worker, 1000);
  CHECK(pthread_sigqueue(pthread_self(), QUEUED, (union sigval){value}) == 0);
  CHECK(read(file, got, sizeof got) == sizeof *got);
  CHECK((int)got[0].ssi_signo == QUEUED && got[0].ssi_int == value);
  CHECK(close(file) == 0);
  restore(&old);
  return (uint64_t)value;
}

static void wait_forever(int how, int end_of_pipe) {
  static const struct timespec long_time = {100000, 0};
  char byte;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  sigset_t none;
  switch (how) {
    case 0:
      for (;;) nanosleep(&long_time, NULL);
    case 1:
      pthread_mutex_lock(&mutex);
      for (;;) pthread_cond_wait(&condition, &mutex);
    case 2:
      pthread_mutex_lock(&mutex);
      for (;;) pthread_mutex_lock(&mutex);
    case 3:
      sigemptyset(&none);
      for (;;) sigsuspend(&none);
    case 4:
      for (;;) pause();
    case 5:
      for (;;) select(0, NULL, NULL, NULL, NULL);
    case 6:
      for (volatile long i = 0;; ++i) continue;
    default:
      for (;;)
        if (read(end_of_pipe, &byte, 1) == 1) FAIL("read");
  }
}

/* Out of a handler, in the middle of a wait, again and again. */
uint64_t jump_action(struct worker* worker) {
  const volatile int times = 1 + (int)random_below(worker, 3);
  const struct timespec none = {0};
  for (volatile int i = 0; i < times; ++i) {
    const volatile int how = (int)random_below(worker, 8);
    int ends[2];
    volatile timer_t timer;
    CHECK(pipe(ends) == 0);
    /* The jump restores this mask, so that there is only one. */
    const sigset_t old = block(JUMPED);
    sigset_t jumped;
    sigemptyset(&jumped);
    sigaddset(&jumped, JUMPED);
    has_jumped = 0;
    const int got = sigsetjmp(jump, 1);
    if (got == 0) {
      timer = start_thread_timer(JUMPED);
      restore(&old);
      wait_forever(how, ends[0]);
    }
    CHECK(got == JUMPED);
    stop_thread_timer(timer);
    while (sigtimedwait(&jumped, NULL, &none) == JUMPED) continue;
    restore(&old);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  }
  return (uint64_t)times;
}

uint64_t alternate_stack_action(struct worker* worker) {
  const size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 16384 + random_below(worker, 8192);
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  const stack_t wanted = {.ss_sp = memory, .ss_size = size};
  stack_t old, now;
  CHECK(sigaltstack(&wanted, &old) == 0);
  CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == memory && now.ss_size == size &&
        now.ss_flags == 0);
  stack_low = (uintptr_t)memory;
  stack_high = stack_low + size;
  on_stack = 0;
  CHECK(pthread_kill(pthread_self(), ON_OWN_STACK) == 0 && on_stack);
  CHECK(sigaltstack(&old, NULL) == 0 && munmap(memory, size) == 0);
  return size;
}

static void cause_fault(int how, volatile char* page) {
  switch (how) {
    case 0:
      *page = 1;
      break;
    case 1:
      raise(SIGBUS);
      break;
    case 2:
      __builtin_trap();
      break;
    default:
      raise(SIGFPE);
  }
}

uint64_t fault_action(struct worker* worker) {
  char* page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  unprotected = page;
  *(volatile char*)(page + 17) = 3;
  CHECK(page[17] == 3 && mprotect(page, 4096, PROT_READ) == 0);
  const volatile int how = (int)random_below(worker, 4);
  const int got = sigsetjmp(jump, 1);
  if (got == 0) {
    awaits_fault = 1;
    cause_fault(how, page);
    FAIL("no fault of kind %d", how);
  }
  awaits_fault = 0;
  CHECK(got != 0 && munmap(page, 4096) == 0);
  return (uint64_t)how;
}

static int has_come(void* timer) {
  (void)timer;
  return timed > 0;
}

static void post(union sigval value) {
  __atomic_store_n((int*)value.sival_ptr, 1, __ATOMIC_RELEASE);
}
static int is_set(void* flag) { return __atomic_load_n((int*)flag, __ATOMIC_ACQUIRE); }

uint64_t timer_action(struct worker* worker) {
  int how = (int)random_below(worker, 3);
  if (how == 1 && is_forked) how = 0;
  if (how == 0) {
    timed = 0;
    const timer_t timer = start_thread_timer(TIMED);
    CHECK(await(has_come, NULL));
    stop_thread_timer(timer);
  } else if (how == 1) {
    /* A thread of libc's may still be in its function when the timer is gone. */
    has_libc_thread = 1;
    int* flag = malloc(sizeof *flag);
    *flag = 0;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = post};
    event.sigev_value.sival_ptr = flag;
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    const struct itimerspec once = {{0}, {0, 100000}};
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
    CHECK(await(is_set, flag));
    CHECK(timer_delete(timer) == 0);
  } else {
    const int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const struct itimerspec once = {{0}, {0, 100000}};
    uint64_t count = 0;
    CHECK(file >= 0 && timerfd_settime(file, 0, &once, NULL) == 0);
    CHECK(RETRY(read(file, &count, sizeof count)) == sizeof count && count == 1);
    CHECK(close(file) == 0);
  }
  return (uint64_t)how;
}

/* Signals of the program interrupt what is not to be restarted, and only they do. */
uint64_t interrupted_action(struct worker* worker) {
  const struct timespec short_time = {0, 300000}, long_time = {100000, 0};
  struct timespec left = {0};
  if (!has_timers) {
    const int result = nanosleep(&short_time, NULL);
    CHECK(result == 0);
    CHECK(usleep(200) == 0);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL) == 0);
  }
  const int how = (int)random_below(worker, 4);
  const timer_t timer = start_thread_timer(INTERRUPTING);
  switch (how) {
    case 0:
      CHECK(nanosleep(&long_time, &left) == -1 && errno == EINTR && left.tv_sec > 90000);
      break;
    case 1:
      CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, &left) == EINTR);
      break;
    case 2:
      CHECK(select(0, NULL, NULL, NULL, NULL) == -1 && errno == EINTR);
      break;
    default:
      CHECK(sleep(90000) > 80000);
  }
  stop_thread_timer(timer);
  return (uint64_t)how;
}

static int same_sets(const sigset_t* a, const sigset_t* b) {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number >= 32 && number < SIGRTMIN) continue;
    if (sigismember(a, number) != sigismember(b, number)) return 0;
  }
  return 1;
}

uint64_t mask_action(struct worker* worker) {
  sigset_t old, set, read_back;
  sigemptyset(&set);
  for (int i = (int)random_below(worker, 60); i > 0; --i) {
    const int number = 1 + (int)random_below(worker, (uint64_t)SIGRTMAX);
    if (number >= 32 && number < SIGRTMIN) continue;
    if (number != SIGKILL && number != SIGSTOP) sigaddset(&set, number);
  }
  CHECK(pthread_sigmask(SIG_SETMASK, &set, &old) == 0);
  CHECK(sigprocmask(SIG_BLOCK, NULL, &read_back) == 0 && same_sets(&set, &read_back));
  sigfillset(&set);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && pthread_sigmask(12345, NULL, &read_back) == 0);
  sigdelset(&set, SIGKILL);
  sigdelset(&set, SIGSTOP);
  CHECK(same_sets(&set, &read_back));
  CHECK(pthread_sigmask(12345, &set, NULL) == EINVAL);
  restore(&old);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &read_back) == 0 && same_sets(&old, &read_back));
  /* A handler of a signal that no other worker uses. */
  const int own = OF_WORKER(worker);
  struct sigaction action = {.sa_flags = SA_RESTART | SA_NODEFER}, before, again;
  action.sa_handler = count_signal;
  sigaddset(&action.sa_mask, SIGPROF);
  CHECK(sigaction(own, &action, &before) == 0 && sigaction(own, NULL, &again) == 0);
  CHECK(again.sa_handler == count_signal && (again.sa_flags & ~0x04000000) == action.sa_flags);
  CHECK(same_sets(&again.sa_mask, &action.sa_mask));
  const int count = counted;
  CHECK(pthread_kill(pthread_self(), own) == 0 && counted == count + 1);
  CHECK(signal(own, SIG_IGN) == count_signal && raise(own) == 0 && counted == count + 1);
  CHECK(signal(own, SIG_DFL) == SIG_IGN);
  /* Not in a child, which may have been forked in the middle of this. */
  if (worker->number == 0 && worker->depth == 0 && !has_timers) {
    CHECK(signal(SIGPROF, count_signal) == tick && raise(SIGPROF) == 0 && counted == count + 2);
    CHECK(signal(SIGPROF, tick) == count_signal);
  }
  return (uint64_t)own;
}
