// Dynamic programs need nothing for abort(): see own_abort.cc.
#include "runtime/process/hooks.h"

void gprof_runtime::keep_own_abort() {}
