#include "engine/import/wait_cause.h"

#include <algorithm>
#include <array>

namespace gprof {
namespace {

struct KnownFunction {
  std::string_view name;  // without underscores and the like: see plain_name()
  WaitKind kind;
  std::string_view shown = {};  // empty: the name
};

// The kinds of those that the collector measures are the collector's.
constexpr std::array known_functions = std::to_array<KnownFunction>({
    {"accept", WaitKind::io},
    {"accept4", WaitKind::io},
    {"chdir", WaitKind::io},
    {"clock_nanosleep", WaitKind::sleep},
    {"close", WaitKind::io},
    {"closedir", WaitKind::io},
    {"cnd_timedwait", WaitKind::other},
    {"cnd_wait", WaitKind::other},
    {"connect", WaitKind::io},
    {"copy_file_range", WaitKind::io},
    {"creat", WaitKind::io},
    {"epoll_pwait", WaitKind::io},
    {"epoll_pwait2", WaitKind::io},
    {"epoll_wait", WaitKind::io},
    {"execve", WaitKind::io},
    {"fallocate", WaitKind::io},
    {"fclose", WaitKind::io},
    {"fcntl", WaitKind::lock},
    {"fdatasync", WaitKind::io},
    {"fflush", WaitKind::io},
    {"fgetc", WaitKind::io},
    {"fgets", WaitKind::io},
    {"flock", WaitKind::lock},
    {"fopen", WaitKind::io},
    {"fread", WaitKind::io},
    {"fstat", WaitKind::io},
    {"fsync", WaitKind::io},
    {"ftruncate", WaitKind::io},
    {"futex", WaitKind::lock},
    {"futex_waitv", WaitKind::lock},
    {"fwrite", WaitKind::io},
    {"getaddrinfo", WaitKind::io},
    {"getc", WaitKind::io},
    {"getdelim", WaitKind::io},
    {"getdents", WaitKind::io},
    {"getline", WaitKind::io},
    {"io_getevents", WaitKind::io},
    {"io_pgetevents", WaitKind::io},
    {"io_uring_enter", WaitKind::io},
    {"link", WaitKind::io},
    {"linkat", WaitKind::io},
    {"lll_lock_wait", WaitKind::lock, "futex"},
    {"lll_lock_wait_private", WaitKind::lock, "futex"},
    {"lockf", WaitKind::lock},
    {"lstat", WaitKind::io},
    {"mkdir", WaitKind::io},
    {"mkdirat", WaitKind::io},
    {"mq_receive", WaitKind::other},
    {"mq_send", WaitKind::other},
    {"mq_timedreceive", WaitKind::other},
    {"mq_timedsend", WaitKind::other},
    {"msgrcv", WaitKind::other},
    {"msgsnd", WaitKind::other},
    {"msync", WaitKind::io},
    {"mtx_lock", WaitKind::lock},
    {"mtx_timedlock", WaitKind::lock},
    {"mtx_trylock", WaitKind::lock},
    {"nanosleep", WaitKind::sleep},
    {"new_sem_wait", WaitKind::other, "sem_wait"},
    {"newfstat", WaitKind::io, "fstat"},
    {"newfstatat", WaitKind::io, "fstat"},
    {"newstat", WaitKind::io, "stat"},
    {"open", WaitKind::io},
    {"openat", WaitKind::io},
    {"openat2", WaitKind::io},
    {"opendir", WaitKind::io},
    {"pause", WaitKind::other},
    {"pclose", WaitKind::child},
    {"poll", WaitKind::io},
    {"ppoll", WaitKind::io},
    {"pread", WaitKind::io},
    {"preadv", WaitKind::io},
    {"preadv2", WaitKind::io},
    {"pselect", WaitKind::io},
    {"pselect6", WaitKind::io, "pselect"},
    {"pthread_barrier_wait", WaitKind::other},
    {"pthread_clockjoin_ex", WaitKind::other, "pthread_join"},
    {"pthread_clockjoin_np", WaitKind::other},
    {"pthread_cond_clockwait", WaitKind::other},
    {"pthread_cond_timedwait", WaitKind::other},
    {"pthread_cond_wait", WaitKind::other},
    {"pthread_join", WaitKind::other},
    {"pthread_mutex_clocklock", WaitKind::lock},
    {"pthread_mutex_lock", WaitKind::lock},
    {"pthread_mutex_timedlock", WaitKind::lock},
    {"pthread_mutex_trylock", WaitKind::lock},
    {"pthread_rwlock_clockrdlock", WaitKind::lock},
    {"pthread_rwlock_clockwrlock", WaitKind::lock},
    {"pthread_rwlock_rdlock", WaitKind::lock},
    {"pthread_rwlock_timedrdlock", WaitKind::lock},
    {"pthread_rwlock_timedwrlock", WaitKind::lock},
    {"pthread_rwlock_wrlock", WaitKind::lock},
    {"pthread_spin_lock", WaitKind::lock},
    {"pthread_timedjoin_np", WaitKind::other},
    {"pwrite", WaitKind::io},
    {"pwritev", WaitKind::io},
    {"pwritev2", WaitKind::io},
    {"read", WaitKind::io},
    {"readahead", WaitKind::io},
    {"readdir", WaitKind::io},
    {"readlink", WaitKind::io},
    {"readv", WaitKind::io},
    {"recv", WaitKind::io},
    {"recvfrom", WaitKind::io},
    {"recvmmsg", WaitKind::io},
    {"recvmsg", WaitKind::io},
    {"rename", WaitKind::io},
    {"renameat", WaitKind::io},
    {"renameat2", WaitKind::io},
    {"rmdir", WaitKind::io},
    {"rt_sigsuspend", WaitKind::other, "sigsuspend"},
    {"rt_sigtimedwait", WaitKind::other, "sigtimedwait"},
    {"select", WaitKind::io},
    {"sem_clockwait", WaitKind::other},
    {"sem_timedwait", WaitKind::other},
    {"sem_wait", WaitKind::other},
    {"semop", WaitKind::other},
    {"semtimedop", WaitKind::other},
    {"send", WaitKind::io},
    {"sendfile", WaitKind::io},
    {"sendmmsg", WaitKind::io},
    {"sendmsg", WaitKind::io},
    {"sendto", WaitKind::io},
    {"sigsuspend", WaitKind::other},
    {"sigtimedwait", WaitKind::other},
    {"sigwait", WaitKind::other},
    {"sigwaitinfo", WaitKind::other},
    {"sleep", WaitKind::sleep},
    {"splice", WaitKind::io},
    {"stat", WaitKind::io},
    {"statx", WaitKind::io},
    {"sync", WaitKind::io},
    {"sync_file_range", WaitKind::io},
    {"syncfs", WaitKind::io},
    {"system", WaitKind::child},
    {"tee", WaitKind::io},
    {"thrd_join", WaitKind::other},
    {"thrd_sleep", WaitKind::sleep},
    {"truncate", WaitKind::io},
    {"unlink", WaitKind::io},
    {"unlinkat", WaitKind::io},
    {"usleep", WaitKind::sleep},
    {"vmsplice", WaitKind::io},
    {"wait", WaitKind::child},
    {"wait3", WaitKind::child},
    {"wait4", WaitKind::child},
    {"waitid", WaitKind::child},
    {"waitpid", WaitKind::child},
    {"write", WaitKind::io},
    {"writev", WaitKind::io},
});
static_assert(std::ranges::is_sorted(known_functions, {}, &KnownFunction::name));

std::string_view without_end(std::string_view name, std::string_view end) {
  if (name.size() > end.size() && name.ends_with(end)) name.remove_suffix(end.size());
  return name;
}

std::string_view without_start(std::string_view name, std::string_view start) {
  if (name.size() > start.size() && name.starts_with(start)) name.remove_prefix(start.size());
  return name;
}

// Without what the C library puts around the names of its functions: "__GI___libc_read@@GLIBC".
std::string_view plain_name(std::string_view name) {
  const auto without_underscores = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of('_');
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
  };
  name = name.substr(0, name.find('@'));
  name = without_underscores(without_start(name, "__GI_"));
  name = without_underscores(without_start(name, "libc_"));
  name = without_start(name, "IO_");
  return without_end(without_end(name, "_nocancel"), "_chk");
}

const KnownFunction* find_known(std::string_view name) {
  const auto found = std::ranges::lower_bound(known_functions, name, {}, &KnownFunction::name);
  return found != known_functions.end() && found->name == name ? &*found : nullptr;
}

// Of the name of a function of the kernel that a system call may have in the place of its own.
std::string_view likely_system_call_of(std::string_view name) {
  constexpr auto starts =
      std::to_array<std::string_view>({"ksys_", "__sys_", "do_sys_", "kernel_"});
  for (const std::string_view start : starts) {
    if (name.size() > start.size() && name.starts_with(start)) return name.substr(start.size());
  }
  return {};
}

// The name of the system call that a function of the kernel begins; empty if it is none.
std::string_view system_call_of(std::string_view name) {
  constexpr auto starts = std::to_array<std::string_view>(
      {"__x64_sys_", "__ia32_sys_", "__ia32_compat_sys_", "__arm64_sys_", "__arm64_compat_sys_",
       "__riscv_sys_", "__s390x_sys_", "__se_sys_", "__do_sys_", "SyS_", "sys_"});
  for (const std::string_view start : starts) {
    if (name.size() > start.size() && name.starts_with(start)) return name.substr(start.size());
  }
  return {};
}

bool waits_for_disk(std::string_view name) {
  return name.starts_with("io_schedule") || name.starts_with("folio_wait_bit") ||
         name.starts_with("wait_on_page_bit");
}

// As the C library names what its functions have in common; C++ begins names with an underscore
// too.
bool is_internal(std::string_view name) {
  return (name.starts_with('_') && !name.starts_with("_Z")) || name.starts_with("futex_");
}

// The outermost of those that the program called: what is further out called the program's code.
std::optional<WaitCause> cause_in_library(std::span<const WaitingFrame> frames) {
  std::optional<WaitCause> cause;
  bool has_library = false;
  for (const WaitingFrame& frame : frames) {
    if (frame.code == WaitingFrame::Code::kernel) continue;
    const bool is_program = frame.code == WaitingFrame::Code::program;
    // Only where it is linked statically are its functions the C library's.
    if (is_program && has_library) break;
    has_library = has_library || !is_program;
    if (frame.code == WaitingFrame::Code::library) continue;
    if (const auto found = cause_of_function(frame.name)) {
      cause = found;
    } else if (is_program && (cause || !is_internal(frame.name))) {
      break;
    }
  }
  return cause;
}

std::optional<WaitCause> cause_in_kernel(std::span<const WaitingFrame> frames) {
  std::optional<WaitCause> cause;
  bool is_disk = false;
  for (const WaitingFrame& frame : frames) {
    if (frame.code != WaitingFrame::Code::kernel) continue;
    is_disk = is_disk || waits_for_disk(frame.name);
    if (const auto likely = cause_of_function(likely_system_call_of(frame.name))) cause = likely;
    const std::string_view call = system_call_of(frame.name);
    if (call.empty()) continue;
    cause = cause_of_function(call);
    if (!cause) cause = WaitCause{is_disk ? WaitKind::io : WaitKind::other, call};
  }
  if (!cause && is_disk) cause = WaitCause{WaitKind::io, {}};
  return cause;
}

}  // namespace

std::optional<WaitCause> cause_of_function(std::string_view name) {
  const std::string_view plain = plain_name(name);
  const KnownFunction* found = find_known(plain);
  for (const std::string_view end : {"64", "_time64", "_time32"}) {
    if (found == nullptr) found = find_known(without_end(plain, end));
  }
  if (found == nullptr) return std::nullopt;
  return WaitCause{found->kind, found->shown.empty() ? found->name : found->shown};
}

std::optional<WaitCause> cause_of_wait(std::span<const WaitingFrame> frames) {
  const auto cause = cause_in_library(frames);
  return cause ? cause : cause_in_kernel(frames);
}

}  // namespace gprof
