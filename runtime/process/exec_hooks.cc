// The exec family: writes the profile before another image takes over. Checks first that the image
// can be executed, because a call that fails must leave the collection as it was.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/process/exec_environment.h"
#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/storage/file_space.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

namespace sys = gprof_runtime::sys;

int answer(sys::Result result) {
  if (!sys::failed(result)) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

bool can_execute(int directory, const char* path, int flags) {
  return !sys::failed(sys::call(__NR_faccessat, directory, sys::word(path), X_OK)) ||
         (flags & AT_EMPTY_PATH) != 0;
}

// `flags` as for execveat().
int execute(int directory, const char* path, char* const* arguments, char* const* environment,
            int flags) {
  const bool likely = gprof_runtime::is_active() && can_execute(directory, path, flags);
  if (likely) gprof_runtime::before_exec();
  const sys::Result result = gprof_runtime::with_environment_for(
      {directory, path, flags}, environment, [&](char* const* variables) {
        return directory == AT_FDCWD && flags == 0
                   ? sys::call_always(__NR_execve, sys::word(path), sys::word(arguments),
                                      sys::word(variables))
                   : sys::call_always(__NR_execveat, directory, sys::word(path),
                                      sys::word(arguments), sys::word(variables), flags);
      });
  if (likely) gprof_runtime::after_failed_exec();
  return answer(result);
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
  return execute(AT_FDCWD, "/bin/sh", words, environment, 0);
}

int execute_file(const char* path, char* const* arguments, char* const* environment) {
  const int result = execute(AT_FDCWD, path, arguments, environment, 0);
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
    gprof_runtime::Text<longest_path> path;
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

// The size of an array for the words of a variadic call: the named one, those of the list, and the
// null pointer.
std::size_t size_of_words(va_list list) {
  std::size_t count = 2;
  while (va_arg(list, char*) != nullptr) ++count;
  return count * sizeof(char*);
}

// Gives `run` the words of a variadic call as an array, which is gone when this returns. `list` is
// then behind them.
template <class Run>
int with_words(const char* first, va_list* list, const Run& run) {
  va_list counted;
  va_copy(counted, *list);
  auto** words = static_cast<char**>(__builtin_alloca(size_of_words(counted)));
  va_end(counted);
  char** end = words;
  *end++ = const_cast<char*>(first);
  do {
    *end = va_arg(*list, char*);
  } while (*end++ != nullptr);
  return run(words);
}

}  // namespace

void gprof_runtime::keep_exec_hooks() {}

GPROF_EXPORT int execve(const char* path, char* const* arguments, char* const* environment) {
  return execute(AT_FDCWD, path, arguments, environment, 0);
}

GPROF_EXPORT int execv(const char* path, char* const* arguments) {
  return execute(AT_FDCWD, path, arguments, environ, 0);
}

GPROF_EXPORT int execvp(const char* name, char* const* arguments) {
  return search_and_execute(name, arguments, environ);
}

GPROF_EXPORT int execvpe(const char* name, char* const* arguments, char* const* environment) {
  return search_and_execute(name, arguments, environment);
}

GPROF_EXPORT int execveat(int directory, const char* path, char* const* arguments,
                          char* const* environment, int flags) {
  return execute(directory, path, arguments, environment, flags);
}

GPROF_EXPORT int fexecve(int descriptor, char* const* arguments, char* const* environment) {
  if (descriptor < 0) return answer(-EINVAL);
  return execute(descriptor, "", arguments, environment, AT_EMPTY_PATH);
}

GPROF_EXPORT int execl(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int failed = with_words(
      first, &list, [&](char** words) { return execute(AT_FDCWD, path, words, environ, 0); });
  va_end(list);
  return failed;
}

GPROF_EXPORT int execlp(const char* name, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int failed = with_words(
      first, &list, [&](char** words) { return search_and_execute(name, words, environ); });
  va_end(list);
  return failed;
}

GPROF_EXPORT int execle(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int failed = with_words(first, &list, [&](char** words) {
    return execute(AT_FDCWD, path, words, va_arg(list, char* const*), 0);
  });
  va_end(list);
  return failed;
}
