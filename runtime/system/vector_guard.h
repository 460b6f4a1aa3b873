// Preserves the vector registers around code that may use them: the call counter promises its
// callers not to touch them, but libc's functions promise nothing.
//
// Only the lower 128 bits of each: libc's own code, built for any processor, leaves the rest alone.
// Thread contract: a local variable.
#pragma once

#include <cstdint>

namespace gprof_runtime {

class VectorGuard {
 public:
  VectorGuard() { save(); }
  ~VectorGuard() { restore(); }
  VectorGuard(const VectorGuard&) = delete;
  VectorGuard& operator=(const VectorGuard&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned count = 16;
  __attribute__((always_inline)) void save() {
    asm volatile(
        "movups %%xmm0, (%0)\n\tmovups %%xmm1, 16(%0)\n\t"
        "movups %%xmm2, 32(%0)\n\tmovups %%xmm3, 48(%0)\n\t"
        "movups %%xmm4, 64(%0)\n\tmovups %%xmm5, 80(%0)\n\t"
        "movups %%xmm6, 96(%0)\n\tmovups %%xmm7, 112(%0)\n\t"
        "movups %%xmm8, 128(%0)\n\tmovups %%xmm9, 144(%0)\n\t"
        "movups %%xmm10, 160(%0)\n\tmovups %%xmm11, 176(%0)\n\t"
        "movups %%xmm12, 192(%0)\n\tmovups %%xmm13, 208(%0)\n\t"
        "movups %%xmm14, 224(%0)\n\tmovups %%xmm15, 240(%0)"
        :
        : "r"(saved_)
        : "memory");
  }
  __attribute__((always_inline)) void restore() {
    asm volatile(
        "movups (%0), %%xmm0\n\tmovups 16(%0), %%xmm1\n\t"
        "movups 32(%0), %%xmm2\n\tmovups 48(%0), %%xmm3\n\t"
        "movups 64(%0), %%xmm4\n\tmovups 80(%0), %%xmm5\n\t"
        "movups 96(%0), %%xmm6\n\tmovups 112(%0), %%xmm7\n\t"
        "movups 128(%0), %%xmm8\n\tmovups 144(%0), %%xmm9\n\t"
        "movups 160(%0), %%xmm10\n\tmovups 176(%0), %%xmm11\n\t"
        "movups 192(%0), %%xmm12\n\tmovups 208(%0), %%xmm13\n\t"
        "movups 224(%0), %%xmm14\n\tmovups 240(%0), %%xmm15"
        :
        : "r"(saved_)
        : "memory");
  }
#else
  // Without v8 to v15: callees preserve their lower halves, and the upper ones need not survive.
  static constexpr unsigned count = 24;
  __attribute__((always_inline)) void save() {
    asm volatile(
        "stp q0, q1, [%0]\n\tstp q2, q3, [%0, 32]\n\t"
        "stp q4, q5, [%0, 64]\n\tstp q6, q7, [%0, 96]\n\t"
        "stp q16, q17, [%0, 128]\n\tstp q18, q19, [%0, 160]\n\t"
        "stp q20, q21, [%0, 192]\n\tstp q22, q23, [%0, 224]\n\t"
        "stp q24, q25, [%0, 256]\n\tstp q26, q27, [%0, 288]\n\t"
        "stp q28, q29, [%0, 320]\n\tstp q30, q31, [%0, 352]"
        :
        : "r"(saved_)
        : "memory");
  }
  __attribute__((always_inline)) void restore() {
    asm volatile(
        "ldp q0, q1, [%0]\n\tldp q2, q3, [%0, 32]\n\t"
        "ldp q4, q5, [%0, 64]\n\tldp q6, q7, [%0, 96]\n\t"
        "ldp q16, q17, [%0, 128]\n\tldp q18, q19, [%0, 160]\n\t"
        "ldp q20, q21, [%0, 192]\n\tldp q22, q23, [%0, 224]\n\t"
        "ldp q24, q25, [%0, 256]\n\tldp q26, q27, [%0, 288]\n\t"
        "ldp q28, q29, [%0, 320]\n\tldp q30, q31, [%0, 352]"
        :
        : "r"(saved_)
        : "memory");
  }
#endif

  alignas(16) std::uint8_t saved_[count * 16];
};

}  // namespace gprof_runtime
