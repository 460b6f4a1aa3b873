// sandboxed HOW: calls `leaf`, allows itself few system calls on pain of death, and goes on. HOW: `strict`,
// `minimal`, `prctl`, `files`, `threads`, `worker`, `tsync`, `tsync-no-handlers`, `no-handlers`, `trap`, `two`.
#define _GNU_SOURCE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static const int minimal[] = {SYS_read, SYS_write, SYS_exit_group, SYS_exit, SYS_rt_sigreturn, SYS_brk,
                              SYS_mmap, SYS_munmap, SYS_newfstatat};
static const int with_files[] = {SYS_openat, SYS_close, SYS_pwrite64, SYS_renameat, SYS_renameat2,
                                 SYS_unlinkat, SYS_fstat, SYS_flock};
static const int with_threads[] = {SYS_futex, SYS_clone3, SYS_clone, SYS_mprotect, SYS_madvise,
                                   SYS_set_robust_list, SYS_rseq, SYS_rt_sigprocmask, SYS_rt_sigaction};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct sock_filter filter[128];
static unsigned short size;
static pthread_barrier_t barrier;

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work(int times) {
  for (int i = 0; i < times; i++) leaf();
}
// So long that samples are taken.
__attribute__((noinline)) void burn(void) {
  // Each round waits for the one before it, so that no processor is much quicker than another.
  static volatile unsigned long turned;
  unsigned long value = turned;
  for (long i = 0; i < 200000000; i++) value = value * 6364136223846793005ul + 1;
  turned = value;
}

static void add(unsigned short code, unsigned value, unsigned char yes, unsigned char no) {
  filter[size++] = (struct sock_filter){code, yes, no, value};
}

static void allow(const int* calls, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  }
}

static void begin_filter(void) {
  size = 0;
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

static void install(const char* how) {
  const int by_prctl = strcmp(how, "prctl") == 0;
  const unsigned flags = strncmp(how, "tsync", 5) == 0 ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  if (strcmp(how, "strict") == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0) _exit(123);
    return;
  }
  begin_filter();
  if (strstr(how, "no-handlers") != NULL) {
    static const int few[] = {SYS_read, SYS_write, SYS_exit, SYS_exit_group};
    allow(few, COUNT(few));
  } else {
    allow(minimal, COUNT(minimal));
  }
  if (strcmp(how, "files") == 0) allow(with_files, COUNT(with_files));
  if (strcmp(how, "two") == 0) {
    static const int another[] = {SYS_prctl, SYS_seccomp};
    allow(with_files, COUNT(with_files));
    allow(another, COUNT(another));
  }
  if (strcmp(how, "threads") == 0 || strcmp(how, "worker") == 0 || flags != 0) {
    allow(with_threads, COUNT(with_threads));
  }
  add(BPF_RET | BPF_K,
      strcmp(how, "trap") == 0 ? SECCOMP_RET_TRAP : SECCOMP_RET_KILL_PROCESS, 0, 0);
  struct sock_fprog program = {size, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(123);
  const long result = by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)
                               : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (result != 0) _exit(123);
}

static void* call_on(void* how) {
  if (strcmp(how, "worker") == 0) install("worker");
  if (strncmp(how, "tsync", 5) == 0) {
    work(100);
    pthread_barrier_wait(&barrier);
    if (strcmp(how, "tsync") != 0) burn();  // is under way when the filter comes
    pthread_barrier_wait(&barrier);
  }
  work(200);
  burn();
  return NULL;
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  pthread_t thread;
  const int tsync = strncmp(how, "tsync", 5) == 0;
  work(600);
  puts("free");
  fflush(stdout);
  if (syscall(SYS_prctl, PR_SET_SECCOMP, 77, 0, 0, 0) != -1) return 4;
  if (tsync || strcmp(how, "worker") == 0) {
    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&thread, NULL, call_on, words[1]) != 0) return 3;
  }
  if (tsync) pthread_barrier_wait(&barrier);
  if (strcmp(how, "worker") != 0) install(how);
  if (strcmp(how, "two") == 0) install("minimal");
  if (tsync) pthread_barrier_wait(&barrier);
  if (strcmp(how, "threads") == 0 && pthread_create(&thread, NULL, call_on, words[1]) != 0) return 3;
  if (tsync || strcmp(how, "worker") == 0 || strcmp(how, "threads") == 0) pthread_join(thread, NULL);
  work(400);
  burn();
  puts("confined");
  fflush(stdout);
  if (strcmp(how, "strict") == 0) syscall(SYS_exit, 5);
  return 5;
}
