// The functions that arch/x86_64/mcount.S calls, and checks that its offsets match the structures.
#include <cstddef>

#include "runtime/arch/x86_64/layout.h"
#include "runtime/calls/call_table.h"
#include "runtime/calls/count_call.h"
#include "runtime/calls/via_uninstrumented.h"

namespace gprof_runtime {

static_assert(HASH_FACTOR == hash_factor && HASH_SHIFT == hash_shift);
static_assert(offsetof(ChunkHeader, mask) == TABLE_MASK && sizeof(ChunkHeader) == TABLE_ENTRIES);
static_assert(offsetof(CallEntry, from) == ENTRY_FROM && offsetof(CallEntry, self) == ENTRY_SELF);
static_assert(offsetof(CallEntry, count) == ENTRY_COUNT && sizeof(CallEntry) == ENTRY_SIZE);
static_assert(offsetof(Registers, pc) == REGISTERS_PC && sizeof(Registers) == REGISTERS_SIZE);
static_assert(offsetof(Registers, general) == REGISTER(0));

}  // namespace gprof_runtime

extern "C" [[gnu::visibility("hidden")]] void gprof_runtime_count_call(
    std::uint64_t from, std::uint64_t self, std::uint64_t stack,
    const gprof_runtime::Registers* registers) {
  gprof_runtime::count_call(from, self, stack, *registers);
}

extern "C" [[gnu::visibility("hidden")]] bool gprof_runtime_count_known(std::uint64_t from,
                                                                        std::uint64_t self,
                                                                        std::uint64_t stack) {
  gprof_runtime::ThreadState* thread = gprof_runtime::current_thread();
  return thread != nullptr && gprof_runtime::count_through_known(thread, from, self, stack);
}
