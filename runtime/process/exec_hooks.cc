// The exec family: writes the profile before another image takes over. Checks first that the image
// can be executed, because a call that fails must leave the collection as it was.
//
// Each calls the next function of its own name, with the same arguments, so that other libraries
// that interpose it see what they would see without this one. Only where the image must not get the
// environment as it is, those without an environment call the one of their kind that has it.
#include <cstddef>
#include <cstdint>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/process/exec_environment.h"
#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/next_calls.h"
#include "runtime/system/syscalls.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

// arch/: calls a function that takes a variable number of words. At least `least_words` can be
// read.
extern "C" [[gnu::visibility("hidden")]] int gprof_runtime_call_with_words(void* function,
                                                                           const void* words,
                                                                           std::size_t count);

namespace {

namespace sys = gprof_runtime::sys;
using gprof_runtime::ExecImage;
using gprof_runtime::next_calls;

constexpr std::size_t least_words = 8;

bool can_execute(const ExecImage& image) {
  if (image.path == nullptr) return false;
  return !sys::failed(sys::call(__NR_faccessat, image.directory, sys::word(image.path), X_OK)) ||
         (image.flags & AT_EMPTY_PATH) != 0;
}

// Runs `run(environment)`, which executes the image, with the environment that it is to have.
template <class Run>
int execute(const ExecImage& image, char* const* environment, const Run& run) {
  const bool is_counted = gprof_runtime::is_active();
  const bool is_executable = can_execute(image);
  if (is_counted) gprof_runtime::before_exec(is_executable);
  // The next function refuses a file that cannot be executed, whatever the other arguments are.
  const int result = is_executable ? gprof_runtime::with_environment_for(image, environment, run)
                                   : run(environment);
  const int error = errno;
  if (is_counted) gprof_runtime::after_failed_exec();
  errno = error;
  return result;
}

template <class Run>
int execute_path(const char* path, char* const* environment, const Run& run) {
  return execute({AT_FDCWD, path, 0}, environment, run);
}

// Executes a file that is searched for in PATH.
template <class Run>
int execute_name(const char* name, char* const* environment, const Run& run) {
  constexpr std::size_t longest_path = 4096;
  char buffer[longest_path];
  return execute({AT_FDCWD, gprof_runtime::find_in_path(name, buffer, sizeof buffer), 0},
                 environment, run);
}

// The words of a variadic call: the first two are named, the last is the null pointer that ends the
// list, or the environment behind it.
struct Words {
  const char** all;
  std::size_t count;
  bool has_environment;

  char* const* arguments() const { return const_cast<char* const*>(all + 1); }
  char* const* environment() const {
    return has_environment ? reinterpret_cast<char* const*>(all[count - 1]) : environ;
  }
};

std::size_t count_words(va_list list, bool has_environment) {
  std::size_t count = 3;
  while (va_arg(list, char*) != nullptr) ++count;
  return count + (has_environment ? 1 : 0);
}

// Gives `run` the words, which are gone when this returns. A list that is empty has no first word.
template <class Run>
int with_words(const char* path, const char* first, va_list* list, bool has_environment,
               const Run& run) {
  va_list counted;
  va_copy(counted, *list);
  const std::size_t rest =
      first != nullptr ? count_words(counted, has_environment) : (has_environment ? 3 : 2);
  va_end(counted);
  const std::size_t room = rest < least_words ? least_words : rest;
  const Words words = {static_cast<const char**>(__builtin_alloca(room * sizeof(char*))), rest,
                       has_environment};
  words.all[0] = path;
  words.all[1] = first;
  for (std::size_t i = 2; i < room; ++i) {
    words.all[i] = i < rest ? va_arg(*list, const char*) : nullptr;
  }
  return run(words);
}

template <typename Function>
int call_with(Function* next, const Words& words) {
  return gprof_runtime_call_with_words(reinterpret_cast<void*>(next), words.all, words.count);
}

}  // namespace

void gprof_runtime::keep_exec_hooks() {}

GPROF_EXPORT int execve(const char* path, char* const* arguments, char* const* environment) {
  return execute_path(path, environment, [&](char* const* variables) {
    return next_calls().execve(path, arguments, variables);
  });
}

GPROF_EXPORT int execv(const char* path, char* const* arguments) {
  return execute_path(path, environ, [&](char* const* variables) {
    return variables == environ ? next_calls().execv(path, arguments)
                                : next_calls().execve(path, arguments, variables);
  });
}

GPROF_EXPORT int execvp(const char* name, char* const* arguments) {
  return execute_name(name, environ, [&](char* const* variables) {
    return variables == environ ? next_calls().execvp(name, arguments)
                                : next_calls().execvpe(name, arguments, variables);
  });
}

GPROF_EXPORT int execvpe(const char* name, char* const* arguments, char* const* environment) {
  return execute_name(name, environment, [&](char* const* variables) {
    return next_calls().execvpe(name, arguments, variables);
  });
}

GPROF_EXPORT int execveat(int directory, const char* path, char* const* arguments,
                          char* const* environment, int flags) {
  return execute({directory, path, flags}, environment, [&](char* const* variables) {
    return next_calls().execveat(directory, path, arguments, variables, flags);
  });
}

GPROF_EXPORT int fexecve(int descriptor, char* const* arguments, char* const* environment) {
  if (descriptor < 0) return next_calls().fexecve(descriptor, arguments, environment);
  return execute({descriptor, "", AT_EMPTY_PATH}, environment, [&](char* const* variables) {
    return next_calls().fexecve(descriptor, arguments, variables);
  });
}

GPROF_EXPORT int execl(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int failed = with_words(path, first, &list, false, [&](const Words& words) {
    return execute_path(path, environ, [&](char* const* variables) {
      if (variables != environ) return next_calls().execve(path, words.arguments(), variables);
      return next_calls().execl != nullptr ? call_with(next_calls().execl, words)
                                           : next_calls().execv(path, words.arguments());
    });
  });
  va_end(list);
  return failed;
}

GPROF_EXPORT int execlp(const char* name, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int failed = with_words(name, first, &list, false, [&](const Words& words) {
    return execute_name(name, environ, [&](char* const* variables) {
      if (variables != environ) return next_calls().execvpe(name, words.arguments(), variables);
      return next_calls().execlp != nullptr ? call_with(next_calls().execlp, words)
                                            : next_calls().execvp(name, words.arguments());
    });
  });
  va_end(list);
  return failed;
}

GPROF_EXPORT int execle(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int failed = with_words(path, first, &list, true, [&](const Words& words) {
    return execute_path(path, words.environment(), [&](char* const* variables) {
      if (variables != words.environment() || next_calls().execle == nullptr) {
        return next_calls().execve(path, words.arguments(), variables);
      }
      return call_with(next_calls().execle, words);
    });
  });
  va_end(list);
  return failed;
}
