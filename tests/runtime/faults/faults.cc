// Makes the collector's own system calls fail at random: part of libgprof_runtime_faulty.so, which
// is the collector but for this.
//
// GPROF_FAULTS=SEED:RATE, of 10,000 calls; without it, none fails. Which calls fail depends on the
// seed and on the order of the process's calls. A failing call has no effect, and one of the errors
// that its manual page names. Calls whose manual names none (getpid, sched_yield, …) do not fail.
#include <cerrno>
#include <cstdint>

#include <unistd.h>

#include "runtime/storage/file_space.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sys {
namespace {

constexpr unsigned most_errors = 32;
struct Faults {
  long number;
  std::uint8_t errors[most_errors];  // 0 behind the last one
};

#if defined(__NR_fstatfs)
constexpr long file_system_status_call = __NR_fstatfs;
#else
constexpr long file_system_status_call = __NR3264_fstatfs;
#endif
#if defined(__NR_newfstatat)
constexpr long path_status_call = __NR_newfstatat;
#else
constexpr long path_status_call = __NR3264_fstatat;
#endif

constexpr Faults table[] = {
    {__NR_clock_getres, {EFAULT, EINVAL, ENODEV, ENOTSUP, EPERM}},
    {__NR_clock_gettime, {EFAULT, EINVAL, ENODEV, ENOTSUP, EPERM}},
    {__NR_close, {EBADF, EINTR, EIO, ENOSPC, EDQUOT}},
    {__NR_faccessat,
     {EACCES, EBADF, EFAULT, EINVAL, EIO, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EPERM,
      EROFS, ETXTBSY}},
    {__NR_fallocate,
     {EBADF, EFBIG, EFAULT, EINTR, EINVAL, EIO, ENODEV, ENOSPC, ENOSYS, EOPNOTSUPP, EPERM, ESPIPE,
      ETXTBSY}},
    {__NR_fcntl,
     {EACCES, EAGAIN, EBADF, EBUSY, EDEADLK, EFAULT, EINTR, EINVAL, EMFILE, ENOLCK, EPERM}},
    {__NR_flock, {EBADF, EINTR, EINVAL, ENOLCK, EWOULDBLOCK}},
    {__NR_futex,
     {EACCES, EAGAIN, EFAULT, EINTR, EINVAL, ENFILE, ENOMEM, ENOSYS, EPERM, ESRCH, ETIMEDOUT}},
    {__NR_getcwd, {EACCES, EFAULT, EINVAL, ENAMETOOLONG, ENOENT, ENOMEM, ERANGE}},
    {__NR_getitimer, {EFAULT, EINVAL}},
    {__NR_getrusage, {EFAULT, EINVAL}},
    {__NR_ioctl, {EBADF, EFAULT, EINVAL, ENOTTY}},
    {__NR_linkat,
     {EACCES, EBADF, EDQUOT, EEXIST, EFAULT, EINVAL, EIO, ELOOP, EMLINK, ENAMETOOLONG, ENOENT,
      ENOMEM, ENOSPC, ENOTDIR, EPERM, EROFS, EXDEV}},
    {__NR_lseek, {EBADF, EINVAL, ENXIO, EOVERFLOW, ESPIPE}},
    {__NR_mmap,
     {EACCES, EAGAIN, EBADF, EEXIST, EINVAL, ENFILE, ENODEV, ENOMEM, EOVERFLOW, EPERM, ETXTBSY}},
    {__NR_munmap, {EINVAL, ENOMEM}},
    {__NR_nanosleep, {EFAULT, EINTR, EINVAL}},
    {__NR_openat,
     {EACCES,  EBADF, EBUSY,      EDQUOT,       EEXIST, EFAULT, EFBIG,   EINTR,      EINVAL,
      EISDIR,  ELOOP, EMFILE,     ENAMETOOLONG, ENFILE, ENODEV, ENOENT,  ENOMEM,     ENOSPC,
      ENOTDIR, ENXIO, EOPNOTSUPP, EOVERFLOW,    EPERM,  EROFS,  ETXTBSY, EWOULDBLOCK}},
    {__NR_perf_event_open,
     {E2BIG, EACCES, EBADF, EBUSY, EFAULT, EINTR, EINVAL, EMFILE, ENODEV, ENOENT, ENOSPC, ENOSYS,
      EOPNOTSUPP, EOVERFLOW, EPERM, ESRCH}},
    {__NR_prctl, {EACCES, EBADF, EBUSY, EFAULT, EINVAL, ENXIO, EOPNOTSUPP, EPERM}},
    {__NR_prlimit64, {EFAULT, EINVAL, EPERM, ESRCH}},
    {__NR_process_vm_readv, {EFAULT, EINVAL, ENOMEM, EPERM, ESRCH}},
    {__NR_pwrite64,
     {EAGAIN, EBADF, EDESTADDRREQ, EDQUOT, EFAULT, EFBIG, EINTR, EINVAL, EIO, ENOSPC, ENXIO,
      EOVERFLOW, EPERM, EPIPE, ESPIPE}},
    {__NR_read, {EAGAIN, EBADF, EFAULT, EINTR, EINVAL, EIO, EISDIR}},
    {__NR_readlinkat,
     {EACCES, EBADF, EFAULT, EINVAL, EIO, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR}},
    {__NR_renameat,
     {EACCES, EBADF, EBUSY, EDQUOT, EEXIST, EFAULT, EINVAL, EISDIR, ELOOP, EMLINK, ENAMETOOLONG,
      ENOENT, ENOMEM, ENOSPC, ENOTDIR, ENOTEMPTY, EPERM, EROFS, EXDEV}},
    {__NR_renameat2,
     {EACCES, EBADF, EBUSY, EDQUOT, EEXIST, EFAULT, EINVAL, EISDIR, ELOOP, EMLINK, ENAMETOOLONG,
      ENOENT, ENOMEM, ENOSPC, ENOTDIR, ENOTEMPTY, EPERM, EROFS, EXDEV}},
    {__NR_rt_sigaction, {EFAULT, EINVAL}},
    {__NR_rt_sigprocmask, {EFAULT, EINVAL}},
    {__NR_rt_sigqueueinfo, {EAGAIN, EINVAL, EPERM, ESRCH}},
    {__NR_rt_sigtimedwait, {EAGAIN, EINTR, EINVAL}},
    {__NR_rt_tgsigqueueinfo, {EAGAIN, EINVAL, EPERM, ESRCH}},
    {__NR_setitimer, {EFAULT, EINVAL}},
    {__NR_sysinfo, {EFAULT}},
    {__NR_timer_create, {EAGAIN, EINVAL, ENOMEM, ENOTSUP, EPERM}},
    {__NR_timer_delete, {EINVAL}},
    {__NR_timer_settime, {EFAULT, EINVAL}},
    {__NR_unlinkat,
     {EACCES, EBADF, EBUSY, EFAULT, EINVAL, EIO, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM,
      ENOTDIR, EPERM, EROFS}},
    {__NR_write,
     {EAGAIN, EBADF, EDESTADDRREQ, EDQUOT, EFAULT, EFBIG, EINTR, EINVAL, EIO, ENOSPC, EPERM,
      EPIPE}},
    {file_status_call,
     {EACCES, EBADF, EFAULT, EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EOVERFLOW}},
    {path_status_call,
     {EACCES, EBADF, EFAULT, EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EOVERFLOW}},
    {file_system_status_call, {EBADF, EFAULT, EIO, ENOMEM, ENOSYS, EOVERFLOW}},
};
// Of calls that are not in the table, so that none is left out.
constexpr Faults others = {0, {EPERM, EINVAL, ENOSYS}};
constexpr long without_errors[] = {__NR_getpid, __NR_gettid, __NR_getppid, __NR_sched_yield};

// Written at the first call.
struct State {
  std::uint32_t known;
  std::uint32_t rate;
  std::uint64_t seed;
  std::uint64_t calls;
};
State state;

std::uint64_t number_at(const char** text) {
  std::uint64_t number = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    number = number * 10 + static_cast<std::uint64_t>(**text - '0');
  }
  return number;
}

void read_setting() {
  constexpr char name[] = "GPROF_FAULTS=";
  if (environ == nullptr) return;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const char* text = *entry;
    unsigned same = 0;
    while (name[same] != '\0' && text[same] == name[same]) ++same;
    if (name[same] != '\0') continue;
    text += same;
    state.seed = number_at(&text);
    if (*text == ':') ++text;
    state.rate = static_cast<std::uint32_t>(number_at(&text));
  }
  __atomic_store_n(&state.known, 1, __ATOMIC_RELEASE);
}

std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 30U) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27U) * 0x94d049bb133111eb;
  return number ^ number >> 31U;
}

const Faults& faults_of(long number) {
  for (const Faults& faults : table) {
    if (faults.number == number) return faults;
  }
  return others;
}

bool never_fails(long number) {
  for (const long one : without_errors) {
    if (one == number) return true;
  }
  return false;
}

}  // namespace

bool is_to_fail(long number, long first_argument, Result* result) {
  if (__atomic_load_n(&state.known, __ATOMIC_ACQUIRE) == 0) read_setting();
  if (state.rate == 0 || never_fails(number)) return false;
  constexpr std::uint64_t scale = 10000;
  const std::uint64_t call = __atomic_add_fetch(&state.calls, 1, __ATOMIC_RELAXED);
  const std::uint64_t chance = mixed(state.seed * 0x9e3779b97f4a7c15 + call);
  if (chance % scale >= state.rate) return false;
  const Faults& faults = faults_of(number);
  unsigned count = 0;
  while (count < most_errors && faults.errors[count] != 0) ++count;
  *result = -static_cast<Result>(faults.errors[(chance >> 32U) % count]);
  // An operation that does not exist asks whether memory can be read (system/readable.cc): EINVAL
  // is the answer yes, so that EFAULT alone is a failure.
  if (number == __NR_rt_sigprocmask && first_argument == ~0L) *result = -EFAULT;
  return true;
}

}  // namespace gprof_runtime::sys
