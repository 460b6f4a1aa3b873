// In static programs libc's own abort() is linked as well where something asks for this variable,
// which stands beside it in the archive; then the program would have two.
#include "runtime/process/hooks.h"

extern "C" void* __abort_msg;
void* __abort_msg = nullptr;

void gprof_runtime::keep_own_abort() {}
