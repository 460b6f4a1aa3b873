// The entry point that gcc calls at the start of each function on aarch64:
//   f:  stp x29, x30, [sp, ...]!; mov x29, sp; mov x0, x30; bl _mcount
// It is an ordinary call: the compiler has saved what it needs.
#include <cstdint>

#include "runtime/calls/call_table.h"
#include "runtime/calls/count_call.h"
#include "runtime/process/thread_state.h"
#include "runtime/unwind/current_registers.h"

using gprof_runtime::CallEntry;

// exported: compilers call it by this name
extern "C" [[gnu::visibility("default")]] void _mcount(std::uint64_t from) {
  const auto self = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  if (gprof_runtime::counting_enabled == 0) return;
  if (gprof_runtime::ChunkHeader* table = gprof_runtime::current_calls; table != nullptr) {
    if (CallEntry* entry = gprof_runtime::find_call(table, from, self); entry != nullptr) {
      return gprof_runtime::count_one(&entry->count);
    }
  }
  // The instrumented function keeps its return address right after its saved frame pointer.
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const std::uint64_t caller_frame = *reinterpret_cast<const std::uint64_t*>(frame);
  gprof_runtime::count_call(from, self, caller_frame + 8, gprof_runtime::current_registers());
}

extern "C" [[gnu::visibility("default")]] void mcount(std::uint64_t from)
    __attribute__((alias("_mcount")));
extern "C" [[gnu::visibility("default")]] void __mcount(std::uint64_t from)
    __attribute__((alias("_mcount")));
// For calls from within the collector, which must not be interposed.
extern "C" [[gnu::visibility("hidden")]] void gprof_runtime_mcount(std::uint64_t from)
    __attribute__((alias("_mcount")));
