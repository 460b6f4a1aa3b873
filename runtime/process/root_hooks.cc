// chroot: paths have another meaning afterwards, but the files stay where they were.
#include <unistd.h>

#include "runtime/process/exec_environment.h"
#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/next_calls.h"
#include "runtime/storage/held_files.h"
#include "runtime/storage/live_file.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

void gprof_runtime::keep_root_hooks() {}

GPROF_EXPORT int chroot(const char* path) {
  namespace live = gprof_runtime::live;
  const bool is_active = gprof_runtime::is_active();
  const bool is_vforked = is_active && !gprof_runtime::is_own_process();
  const bool has_files = is_active && !is_vforked && *live::start_directory() != '\0';
  if (has_files) gprof_runtime::held::hold(live::start_directory(), live::path());
  const int result = gprof_runtime::next_calls().chroot(path);
  if (result == 0 && !is_vforked) gprof_runtime::leave_out_of_own_environment();
  return result;
}
