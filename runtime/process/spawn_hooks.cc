// posix_spawn and posix_spawnp: libc's own exec in the child is not interposed, so the environment
// is chosen before. The child has no profile to write.
//
// Only in the shared library. Thread contract: libc's; errno is preserved.
#include <cerrno>

#include <fcntl.h>
#include <spawn.h>

#include "runtime/process/exec_environment.h"
#include "runtime/process/next_calls.h"
#include "runtime/system/dynamic_symbols.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                  char* const*, char* const*);
Spawn* next_posix_spawn = nullptr;
Spawn* next_posix_spawnp = nullptr;

Spawn* next_spawn(const char* name, Spawn** known) {
  Spawn* function = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (function != nullptr) return function;
  const int saved = errno;
  function = reinterpret_cast<Spawn*>(gprof_runtime::next_symbol(name));
  errno = saved;
  __atomic_store_n(known, function, __ATOMIC_RELEASE);
  return function;
}

}  // namespace

void gprof_runtime::find_spawn_calls() {
  next_spawn("posix_spawn", &next_posix_spawn);
  next_spawn("posix_spawnp", &next_posix_spawnp);
}

// A relative path is taken as of this process, though file actions may change the directory before.
GPROF_EXPORT int posix_spawn(pid_t* process, const char* path,
                             const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const* arguments,
                             char* const* environment) {
  Spawn* const spawn = next_spawn("posix_spawn", &next_posix_spawn);
  if (spawn == nullptr) return ENOSYS;
  return gprof_runtime::with_environment_for(
      {AT_FDCWD, path, 0}, environment, [&](char* const* variables) {
        return spawn(process, path, actions, attributes, arguments, variables);
      });
}

GPROF_EXPORT int posix_spawnp(pid_t* process, const char* name,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* arguments,
                              char* const* environment) {
  Spawn* const spawn = next_spawn("posix_spawnp", &next_posix_spawnp);
  if (spawn == nullptr) return ENOSYS;
  return gprof_runtime::with_environment_for_name(name, environment, [&](char* const* variables) {
    return spawn(process, name, actions, attributes, arguments, variables);
  });
}
