// The next functions of the names that the collector interposes in every program: those of other
// libraries that were preloaded or linked behind it, which see what they would see without it, or
// libc's.
//
// In the shared library they are looked up when it is loaded: a signal handler, or a child of
// vfork, could not. What the process does not have, and in a static program all of them, are the
// kernel's calls (process/kernel_calls.h). Thread contract: any thread, any signal handler, but for
// find_next_calls().
#pragma once

namespace gprof_runtime {

struct NextCalls {
  void (*exit)(int status);       // _exit
  void (*exit_of_c)(int status);  // _Exit
  void (*abort)();
  int (*chroot)(const char* path);
  int (*execve)(const char* path, char* const* arguments, char* const* environment);
  int (*execv)(const char* path, char* const* arguments);
  int (*execvp)(const char* name, char* const* arguments);
  int (*execvpe)(const char* name, char* const* arguments, char* const* environment);
  int (*execveat)(int directory, const char* path, char* const* arguments, char* const* environment,
                  int flags);
  int (*fexecve)(int descriptor, char* const* arguments, char* const* environment);
  // Null in a static program, where the words are passed on as an array.
  int (*execl)(const char* path, const char* first, ...);
  int (*execlp)(const char* name, const char* first, ...);
  int (*execle)(const char* path, const char* first, ...);
};

const NextCalls& next_calls();

// Looks all up, and those that only the shared library interposes. When the library is loaded.
void find_next_calls();

// The latter, each in its own file.
void find_loader_calls();
void find_filter_calls();
void find_spawn_calls();

}  // namespace gprof_runtime
