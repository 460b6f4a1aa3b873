// A seccomp filter that answers system calls with an error. Some names have conditions: `create` (openat
// of a file to be made), `share` (mmap with MAP_SHARED). Include it with _GNU_SOURCE.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct refusal {
  const char* name;
  int number;
  int argument;  // that has to have all the bits; -1 for none
  unsigned bits;
};

static const struct refusal refusals[] = {
  {"create", SYS_openat, 2, O_CREAT},
  {"openat", SYS_openat, -1, 0},
  {"share", SYS_mmap, 3, MAP_SHARED},
  {"fallocate", SYS_fallocate, -1, 0},
  {"ftruncate", SYS_ftruncate, -1, 0},
  {"fstat", SYS_fstat, -1, 0},
  {"newfstatat", SYS_newfstatat, -1, 0},
  {"timer_create", SYS_timer_create, -1, 0},
  {"timer_settime", SYS_timer_settime, -1, 0},
  {"timer_delete", SYS_timer_delete, -1, 0},
  {"perf_event_open", SYS_perf_event_open, -1, 0},
  {"setitimer", SYS_setitimer, -1, 0},
  {"getitimer", SYS_getitimer, -1, 0},
  {"clock_gettime", SYS_clock_gettime, -1, 0},
  {"clock_getres", SYS_clock_getres, -1, 0},
  {"getrusage", SYS_getrusage, -1, 0},
  {"ioctl", SYS_ioctl, -1, 0},
  {"gettid", SYS_gettid, -1, 0},
  {"getpid", SYS_getpid, -1, 0},
  {"getppid", SYS_getppid, -1, 0},
  {"getcwd", SYS_getcwd, -1, 0},
#ifdef SYS_readlink
  {"readlink", SYS_readlink, -1, 0},
#endif
  {"readlinkat", SYS_readlinkat, -1, 0},
#ifdef SYS_rename
  {"rename", SYS_rename, -1, 0},
#endif
  {"renameat", SYS_renameat, -1, 0},
  {"renameat2", SYS_renameat2, -1, 0},
#ifdef SYS_unlink
  {"unlink", SYS_unlink, -1, 0},
#endif
  {"unlinkat", SYS_unlinkat, -1, 0},
  {"faccessat", SYS_faccessat, -1, 0},
  {"sigaction", SYS_rt_sigaction, -1, 0},
  {"sigmask", SYS_rt_sigprocmask, -1, 0},
  {"fcntl", SYS_fcntl, -1, 0},
  {"lseek", SYS_lseek, -1, 0},
  {"pwrite64", SYS_pwrite64, -1, 0},
  {"membarrier", SYS_membarrier, -1, 0},
  {"prctl", SYS_prctl, -1, 0},
  {"tgkill", SYS_tgkill, -1, 0},
  {"flock", SYS_flock, -1, 0},
  {"linkat", SYS_linkat, -1, 0},
};

static struct sock_filter filter[256];
static unsigned short size;

static void add(unsigned short code, unsigned value, unsigned char yes, unsigned char no) {
  filter[size++] = (struct sock_filter){code, yes, no, value};
}

static void refuse(const struct refusal* refusal, unsigned error) {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
  if (refusal->argument < 0) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refusal->number, 0, 1);
  } else {
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refusal->number, 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS,
        (unsigned)(offsetof(struct seccomp_data, args) + 8 * (unsigned)refusal->argument), 0, 0);
    add(BPF_ALU | BPF_AND | BPF_K, refusal->bits, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, refusal->bits, 0, 1);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
}

// Installs the filter: the error's name, and names from the table, separated by commas. 0 where it works.
static int install_refusals(const char* error_name, const char* names) {
  unsigned error = strcmp(error_name, "ENOSYS") == 0   ? ENOSYS
                   : strcmp(error_name, "EPERM") == 0  ? EPERM
                   : strcmp(error_name, "EACCES") == 0 ? EACCES
                   : strcmp(error_name, "ENOSPC") == 0 ? ENOSPC
                                                       : EINVAL;
  while (*names != '\0') {
    size_t length = strcspn(names, ",");
    size_t known = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
      if (strlen(refusals[i].name) != length || memcmp(names, refusals[i].name, length) != 0)
        continue;
      refuse(&refusals[i], error);
      known = 1;
    }
    if (!known) return 124;
    names += length + (names[length] == ',');
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  struct sock_fprog program = {size, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 123;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : 123;
}
