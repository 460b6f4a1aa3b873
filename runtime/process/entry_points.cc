// The entry points for C programs and their start files, other than mcount.
#include <cstddef>
#include <cstdint>

#include "runtime/calls/call_table.h"
#include "runtime/calls/count_call.h"
#include "runtime/include/gprof/runtime.h"
#include "runtime/modules/modules.h"
#include "runtime/process/counted_program.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/reset.h"
#include "runtime/process/thread_state.h"
#include "runtime/sampling/sampler.h"
#include "runtime/unwind/current_registers.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

using gprof_runtime::Ending;

int set_counting(int on) {
  const std::uint8_t before = __atomic_exchange_n(
      &gprof_runtime::counting_enabled, static_cast<std::uint8_t>(on != 0), __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (on == 0) gprof_runtime::take_call_tables();
  gprof_runtime::sampler::set_enabled(on != 0);
  return before;
}

// The call by the executable's start file shows that its code is profiled, even if none of its
// functions is ever called.
void begin_with_executable() {
  if (gprof_runtime::acquire_thread() == nullptr) return;
  gprof_runtime::begin_counting();
  if (auto* executable = gprof_runtime::modules::main_module(); executable != nullptr) {
    __atomic_fetch_or(&executable->flags, gprof_runtime::module_flags::profiled, __ATOMIC_RELAXED);
  }
}

}  // namespace

// gcrt1.o calls this before the executable's constructors. The range is not needed: the program
// headers give the code's addresses.
GPROF_EXPORT void __monstartup(unsigned long /*low*/, unsigned long /*high*/) {
  begin_with_executable();
}
GPROF_EXPORT void monstartup(unsigned long /*low*/, unsigned long /*high*/) {
  begin_with_executable();
}

GPROF_EXPORT void _mcleanup() { gprof_runtime::finish(Ending::returned, 0, false); }

GPROF_EXPORT int moncontrol(int mode) {
  set_counting(mode);
  return 0;
}

GPROF_EXPORT int profil(unsigned short* buffer, std::size_t size, std::size_t offset,
                        unsigned scale) {
  if (buffer != nullptr && scale != 0 && gprof_runtime::acquire_thread() == nullptr) return -1;
  return gprof_runtime::sampler::set_profil_buffer(buffer, size, offset, scale);
}

// -finstrument-functions
GPROF_EXPORT void __cyg_profile_func_enter(void* function, void* call_site) {
  if (gprof_runtime::counting_enabled == 0) return;
  const auto self = reinterpret_cast<std::uint64_t>(function);
  const auto from = reinterpret_cast<std::uint64_t>(call_site);
  if (gprof_runtime::ChunkHeader* table = gprof_runtime::current_calls; table != nullptr) {
    if (auto* entry = gprof_runtime::find_call(table, from, self); entry != nullptr) {
      return gprof_runtime::count_one(&entry->count);
    }
  }
  const auto stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  gprof_runtime::count_call(from, self, stack, gprof_runtime::current_registers());
}
GPROF_EXPORT void __cyg_profile_func_exit(void* /*function*/, void* /*call_site*/) {}

GPROF_EXPORT int gprof_dump() { return gprof_runtime::finish(Ending::dumped, 0, false) ? 0 : -1; }
GPROF_EXPORT void gprof_reset() { gprof_runtime::reset_counts(); }
GPROF_EXPORT int gprof_control(int on) { return set_counting(on); }
GPROF_EXPORT const char* gprof_runtime_version() { return GPROF_RUNTIME_VERSION; }
