// The stubs that calls to imported functions go through: a few instructions that load the
// function's address from a slot and jump to it.
//
// Units: link-time addresses. Thread contract: pure function. Errors: none; code of another shape
// is not a stub.
#pragma once

#include <vector>

#include "engine/code/branch_reader.h"
#include "engine/object/image.h"

namespace gprof {

struct LinkageStub {
  Address start;
  Address slot;
};

// Supports x86-64 and i386 (.plt, .plt.sec, .plt.got), AArch64, ARM, MIPS, s390x, RISC-V, and
// PowerPC's call stubs (64 bit; 32 bit in programs at fixed addresses). A stub with two entry
// points appears twice. SPARC's stubs are slots themselves.
[[nodiscard]] std::vector<LinkageStub> find_linkage_stubs(const Image& image,
                                                          const CodeFormat& format);

}  // namespace gprof
