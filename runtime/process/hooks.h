// Functions of libc that the collector interposes. A static program links an archive member only if
// something refers to it: process/startup.cc refers to these, and code that every program needs
// refers to startup.cc.
//
// Thread contract: keep_…() do nothing.
#pragma once

namespace gprof_runtime {

void keep_startup();
void keep_exit_hooks();
void keep_own_abort();
void keep_exec_hooks();
void keep_root_hooks();
void keep_block_hooks();

}  // namespace gprof_runtime
