// System calls without libc: no errno, no cancellation, no interposed wrapper. They can be made
// anywhere, even between fork and exec, in signal handlers, and before libc is set up.
//
// Results are the kernel's: a negative errno on failure; also -EPERM if a filter installed by the
// program would block the call (system/seccomp_filter.h). Thread contract: any thread, any signal
// handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include <asm/unistd.h>

namespace gprof_runtime::sys {

using Result = long;

// 0 until the program installs a system call filter.
extern std::uint32_t filters_in_force __attribute__((visibility("hidden")));
// Whether a filter would end the calling thread, or worse, for this call.
bool is_forbidden(long number, const long (&arguments)[6]);

// For calls that the program itself asked for, whatever their consequences.

#if defined(__x86_64__)
inline Result call_always(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                          long f = 0) {
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
inline Result call_always(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                          long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory", "cc");
  return x0;
}
#else
#error "The collector knows x86-64 and aarch64."
#endif

#if defined(GPROF_RUNTIME_FAULTS)
// In the library of the tests alone, tests/runtime/faults: whether the call fails, and its result.
bool is_to_fail(long number, long first_argument, Result* result)
    __attribute__((visibility("hidden")));
#endif

// For the collector's own calls.
inline Result call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                   long f = 0) {
  if (__atomic_load_n(&filters_in_force, __ATOMIC_RELAXED) != 0) [[unlikely]] {
    constexpr Result not_permitted = -1;  // EPERM
    const long arguments[6] = {a, b, c, d, e, f};
    if (is_forbidden(number, arguments)) return not_permitted;
  }
#if defined(GPROF_RUNTIME_FAULTS)
  if (Result failure = 0; is_to_fail(number, a, &failure)) {
    // A descriptor is closed even if that reports an error.
    if (number == __NR_close) call_always(number, a, b, c, d, e, f);
    return failure;
  }
#endif
  return call_always(number, a, b, c, d, e, f);
}

// For calls whose failure the program would feel, such as giving it its signal mask back: tried
// again, unless a filter forbids them.
inline Result call_insisting(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  constexpr int most_attempts = 32;
  constexpr Result not_permitted = -1;
  Result result = 0;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    result = call(number, a, b, c, d);
    if (result >= 0 || result == not_permitted) break;
  }
  return result;
}

inline long word(const volatile void* pointer) { return reinterpret_cast<long>(pointer); }
inline bool failed(Result result) { return result < 0 && result > -4096; }

}  // namespace gprof_runtime::sys
