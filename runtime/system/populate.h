// Memory that is about to be written, made present by one system call in place of a page fault for
// each page. A fault takes half a microsecond; on virtual machines whose page tables are shadowed
// by their host, more than ten.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstddef>

namespace gprof_runtime {

// Makes all pages that have a byte of it present, with their contents. A kernel that cannot do this
// (before Linux 5.14, or with larger pages) leaves them to faults.
void populate(const void* memory, std::size_t size);

}  // namespace gprof_runtime
