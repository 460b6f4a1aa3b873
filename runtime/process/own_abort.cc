// libc's archive defines this variable in the same member as abort(). If a static program took it
// from there, it would have two definitions of abort().
#include "runtime/process/hooks.h"

extern "C" void* __abort_msg;
void* __abort_msg = nullptr;

void gprof_runtime::keep_own_abort() {}
