// The environment of what a process executes: without the collector's library where the library
// cannot be loaded, so that the image starts as it would without the collector.
//
// The library is left out of LD_PRELOAD where the image's dynamic linker is not a glibc that the
// library fits (process/loadable_image.h), and where the library's path leads nowhere, as in
// another root. Everything else stays: the other entries of LD_PRELOAD, and the library itself
// where it has no effect, as in a static program, which may start others. What is not known stays
// as it is.
//
// Ownership: the array and the changed strings are in memory of the caller's frame, or, if they are
// large, in memory that the thread keeps; the program's own array is never written. Thread
// contract: any thread, any signal handler, children of fork and vfork.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/process/loadable_image.h"

namespace gprof_runtime {

// An image in the arguments of execveat().
struct ExecImage {
  int directory;
  const char* path;
  int flags;
};

// Bytes that the environment of the image needs if it must be another one; 0: it is right as it is.
// Notes why for `gprof-lsp record`.
std::size_t room_for_environment(const ExecImage& image, char* const* environment);

// The environment in the room, which is aligned like a pointer and as large as that.
char* const* adapted_environment(char* const* environment, void* room, std::size_t size);

// Call after the root directory has changed. Removes the library from the process's own
// environment, for good, if its path leads nowhere now: system() and popen() pass that environment
// to the shell without calling a hook. `environ` becomes a new array, as with setenv(). Don't call
// it in a child of vfork, whose memory is its parent's.
void leave_out_of_own_environment();

// Memory of the calling thread, for environments that are too large for its stack; null if there is
// none. Shared with a child of vfork, and used again by the thread's next one.
void* thread_room(std::size_t size);

// The file that execvp(3) would execute for the name, in the buffer, or the name itself if it has a
// '/'; null if there is none.
const char* find_in_path(const char* name, char* buffer, std::size_t size);

inline constexpr std::size_t max_environment_on_stack = 8192;

// Runs `run(environment)` with the environment that the image is to have, or `environment` itself.
template <class Run>
auto with_environment_for(const ExecImage& image, char* const* environment, const Run& run) {
  const std::size_t size = room_for_environment(image, environment);
  if (size == 0) return run(environment);
  void* const room = size <= max_environment_on_stack ? __builtin_alloca(size) : thread_room(size);
  return run(room == nullptr ? environment : adapted_environment(environment, room, size));
}

// The same for a name that is searched in PATH.
template <class Run>
auto with_environment_for_name(const char* name, char* const* environment, const Run& run) {
  constexpr std::size_t longest_path = 4096;
  char buffer[longest_path];
  const char* const path = find_in_path(name, buffer, sizeof buffer);
  if (path == nullptr) return run(environment);
  constexpr int current_directory = -100;  // AT_FDCWD
  return with_environment_for({current_directory, path, 0}, environment, run);
}

}  // namespace gprof_runtime
