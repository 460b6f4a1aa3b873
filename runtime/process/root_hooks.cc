// chroot: paths have another meaning afterwards, but the files stay where they were.
#include <errno.h>
#include <unistd.h>

#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/storage/held_files.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/syscalls.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

void gprof_runtime::keep_root_hooks() {}

GPROF_EXPORT int chroot(const char* path) {
  namespace live = gprof_runtime::live;
  const bool has_files = gprof_runtime::is_active() && gprof_runtime::is_own_process() &&
                         *live::start_directory() != '\0';
  if (has_files) gprof_runtime::held::hold(live::start_directory(), live::path());
  const gprof_runtime::sys::Result result =
      gprof_runtime::sys::call_always(__NR_chroot, gprof_runtime::sys::word(path));
  if (!gprof_runtime::sys::failed(result)) return 0;
  errno = static_cast<int>(-result);
  return -1;
}
