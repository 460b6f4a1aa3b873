#include "runtime/sampling/profil.h"

#include <cstdint>

#include "runtime/sampling/kernel_signals.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// Handlers register as readers before they check `active`; to change the buffer, a thread clears
// `active` and waits until no reader is left. Handlers are not interrupted, so that ends.
struct State {
  std::uint32_t active;
  std::uint32_t readers;
  std::uint32_t writing;
  ProfilBuffer buffer;
};
State state;

void add_to(unsigned short* counter, std::uint64_t weight) {
  constexpr std::uint64_t highest = 65535;
  unsigned short seen = __atomic_load_n(counter, __ATOMIC_RELAXED);
  unsigned short wanted = 0;
  do {
    const std::uint64_t sum = seen + weight;
    wanted = static_cast<unsigned short>(sum < highest ? sum : highest);
  } while (!__atomic_compare_exchange_n(counter, &seen, wanted, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

// (distance / 2) * scale / 65536, computed so that the product cannot overflow.
std::uint64_t counter_index(std::uint64_t distance, std::uint64_t scale) {
  const std::uint64_t units = distance / 2;
  return units / 65536 * scale + units % 65536 * scale / 65536;
}

}  // namespace

void change_profil_buffer(const ProfilBuffer& buffer) {
  // Signals are blocked, because a handler that called profil() meanwhile would wait for itself.
  const SignalMask mask = change_mask(SIG_SETMASK, every_signal);
  while (__atomic_exchange_n(&state.writing, 1, __ATOMIC_ACQUIRE) != 0) {
    sys::call(__NR_sched_yield);
  }
  __atomic_store_n(&state.active, 0, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&state.readers, __ATOMIC_SEQ_CST) != 0) sys::call(__NR_sched_yield);
  state.buffer = buffer;
  __atomic_store_n(&state.active, buffer.counters != nullptr ? 1 : 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&state.writing, 0, __ATOMIC_RELEASE);
  change_mask(SIG_SETMASK, mask);
}

void count_profil(std::uint64_t pc, std::uint64_t weight) {
  if (__atomic_load_n(&state.active, __ATOMIC_RELAXED) == 0) return;
  __atomic_add_fetch(&state.readers, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&state.active, __ATOMIC_SEQ_CST) != 0) {
    const ProfilBuffer& buffer = state.buffer;
    const std::uint64_t index = counter_index(pc - buffer.offset, buffer.scale);
    if (pc >= buffer.offset && index < buffer.count) add_to(&buffer.counters[index], weight);
  }
  __atomic_sub_fetch(&state.readers, 1, __ATOMIC_SEQ_CST);
}

void abandon_profil() { state = {}; }

}  // namespace gprof_runtime::sampler
