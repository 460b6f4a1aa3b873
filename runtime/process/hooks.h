// Functions of libc that the collector stands before. In a static program a file of an archive is
// linked only when something asks for it: process/startup.cc asks for these, and what every
// program needs asks for that.
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
