// Who has a lock, as far as it is worth knowing: of locks that somebody has waited for, where they
// were taken last.
//
// The table is bounded: locks that share an entry drive one another out, and then their holders are
// unknown. So are those of a lock's first wait. That the holder is the one in the entry is known
// from the mutex itself, which says which thread owns it.
//
// Thread contract: any thread, any signal handler; nothing is locked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/waits/wait_log.h"

namespace gprof_runtime::waits::holders {

inline constexpr unsigned entries_log = 12;
// Of each entry, whether any of its locks has been waited for.
extern std::uint8_t contended[std::size_t{1} << entries_log] __attribute__((visibility("hidden")));

inline std::size_t index_of(std::uint64_t lock) {
  return static_cast<std::size_t>((lock * 0x9e3779b97f4a7c15) >> (64 - entries_log));
}

inline bool is_contended(std::uint64_t lock) {
  return __atomic_load_n(&contended[index_of(lock)], __ATOMIC_RELAXED) != 0;
}

// Whether nobody has the mutex, as far as its first word tells: of mutexes with a priority ceiling
// it does not.
//
// Precondition: it is about to be locked, and not null. Looks at no more than what locking it looks
// at first, without a lock, and in the same order: an address that is no mutex faults where it
// would in libc.
inline bool is_free(std::uint64_t mutex) {
  constexpr std::uint64_t kind_offset = 16;
  static_cast<void>(__atomic_load_n(reinterpret_cast<const std::uint32_t*>(mutex + kind_offset),
                                    __ATOMIC_RELAXED));
  return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(mutex), __ATOMIC_RELAXED) == 0;
}

bool is_robust(std::uint64_t mutex);

// From now on, it is noted who takes the lock. Written only once: whoever takes a lock reads it.
inline void mark(std::uint64_t lock) {
  if (is_contended(lock)) return;
  __atomic_store_n(&contended[index_of(lock)], 1, __ATOMIC_RELAXED);
}

// The current thread has taken the mutex, at its current_place(). Does nothing if that is not
// known.
void note(std::uint64_t mutex, const Holder& holder);

// Who has the mutex now.
Holder of(std::uint64_t mutex);

// Who had it last before the current thread, which has it now and was not noted yet. For waits that
// began when its owner was not noted yet, either.
Holder last(std::uint64_t mutex);

// In a forked child.
void abandon();

}  // namespace gprof_runtime::waits::holders
