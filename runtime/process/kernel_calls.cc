#include "runtime/process/kernel_calls.h"

#include <cstddef>
#include <cstdint>

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

int answer(sys::Result result) {
  if (!sys::failed(result)) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

[[noreturn]] void end_process(int status) {
  for (;;) sys::call_always(__NR_exit_group, status);
}

void raise_abort() {
  std::uint64_t set = std::uint64_t{1} << (SIGABRT - 1);
  sys::call_always(__NR_rt_sigprocmask, SIG_UNBLOCK, sys::word(&set), 0, sizeof set);
  sys::call_always(__NR_tgkill, sys::call_always(__NR_getpid), sys::call_always(__NR_gettid),
                   SIGABRT);
}

// C17 7.22.4.1: raises SIGABRT; the program ends even if it is ignored or its handler returns.
[[noreturn]] void abort_process() {
  raise_abort();
  struct {
    void (*handler)(int) = SIG_DFL;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    std::uint64_t mask = 0;
  } const default_action;
  sys::call_always(__NR_rt_sigaction, SIGABRT, sys::word(&default_action), 0,
                   sizeof default_action.mask);
  raise_abort();
  constexpr int abnormal = 127;
  end_process(abnormal);
}

int change_root(const char* path) { return answer(sys::call_always(__NR_chroot, sys::word(path))); }

int execute(const char* path, char* const* arguments, char* const* environment) {
  return answer(
      sys::call_always(__NR_execve, sys::word(path), sys::word(arguments), sys::word(environment)));
}

int execute_at(int directory, const char* path, char* const* arguments, char* const* environment,
               int flags) {
  return answer(sys::call_always(__NR_execveat, directory, sys::word(path), sys::word(arguments),
                                 sys::word(environment), flags));
}

int execute_descriptor(int descriptor, char* const* arguments, char* const* environment) {
  if (descriptor < 0 || arguments == nullptr || environment == nullptr) return answer(-EINVAL);
  return execute_at(descriptor, "", arguments, environment, AT_EMPTY_PATH);
}

int execute_here(const char* path, char* const* arguments) {
  return execute(path, arguments, environ);
}

constexpr std::size_t longest_path = 4096;
constexpr const char* usual_path = "/bin:/usr/bin";

// Runs a file of a format that the kernel does not know: as a shell script.
int execute_script(const char* path, char* const* arguments, char* const* environment) {
  std::size_t count = 0;
  while (arguments[count] != nullptr) ++count;
  auto* words = static_cast<char**>(__builtin_alloca((count + 3) * sizeof(char*)));
  std::size_t last = 0;
  words[last++] = const_cast<char*>("/bin/sh");
  words[last++] = const_cast<char*>(path);
  for (std::size_t i = 1; i < count; ++i) words[last++] = arguments[i];
  words[last] = nullptr;
  return execute("/bin/sh", words, environment);
}

int execute_file(const char* path, char* const* arguments, char* const* environment) {
  const int result = execute(path, arguments, environment);
  return errno == ENOEXEC ? execute_script(path, arguments, environment) : result;
}

bool has_slash(const char* name) {
  for (; *name != '\0'; ++name) {
    if (*name == '/') return true;
  }
  return false;
}

// Searches like execvp(3): each directory of PATH, an empty entry being the current one; a file
// that may not be executed is remembered, and the search continues.
int search_and_execute(const char* name, char* const* arguments, char* const* environment) {
  if (*name == '\0') return answer(-ENOENT);
  if (has_slash(name)) return execute_file(name, arguments, environment);
  const char* place = getenv("PATH");
  if (place == nullptr) place = usual_path;
  bool forbidden = false;
  for (;; ++place) {
    Text<longest_path> path;
    for (; *place != '\0' && *place != ':'; ++place) {
      const char character[2] = {*place, '\0'};
      path.add(character);
    }
    if (path.size() > 0) path.add("/");
    path.add(name);
    if (!path.cut()) {
      execute_file(path.c_str(), arguments, environment);
      if (errno == EACCES) {
        forbidden = true;
      } else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV &&
                 errno != ETIMEDOUT) {
        return -1;
      }
    }
    if (*place == '\0') break;
  }
  return answer(forbidden ? -EACCES : -ENOENT);
}

int search_and_execute_here(const char* name, char* const* arguments) {
  return search_and_execute(name, arguments, environ);
}

}  // namespace

const NextCalls kernel_calls = {
    .exit = end_process,
    .exit_of_c = end_process,
    .abort = abort_process,
    .chroot = change_root,
    .execve = execute,
    .execv = execute_here,
    .execvp = search_and_execute_here,
    .execvpe = search_and_execute,
    .execveat = execute_at,
    .fexecve = execute_descriptor,
    .execl = nullptr,
    .execlp = nullptr,
    .execle = nullptr,
};

}  // namespace gprof_runtime
