// prctl and syscall, with which programs install system call filters: the collector keeps a copy of
// each filter, so as to make no forbidden call, and reserves memory to go on counting in. Calls by
// syscall() that wait are measured (waits/wait_syscalls.h).
#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/process/lifecycle.h"
#include "runtime/process/next_calls.h"
#include "runtime/sampling/fatal_signals.h"
#include "runtime/sampling/filtered.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/dynamic_symbols.h"
#include "runtime/system/seccomp_filter.h"
#include "runtime/waits/wait_syscalls.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

// For the assembly code below.
extern "C" {
[[gnu::visibility("hidden")]] long (*gprof_runtime_next_syscall)(long, ...) = nullptr;
[[gnu::visibility("hidden")]] void gprof_runtime_find_next_syscall();
[[gnu::visibility("hidden")]] long gprof_runtime_syscall_seccomp(long number, long operation,
                                                                 long flags, void* arguments);
[[gnu::visibility("hidden")]] long gprof_runtime_syscall_prctl(long number, long option, long b,
                                                               long c, long d, long e);
[[gnu::visibility("hidden")]] long gprof_runtime_syscall_that_waits(long number, long a, long b,
                                                                    long c, long d, long e, long f);
}

namespace {

namespace seccomp = gprof_runtime::seccomp;

using Prctl = int(int, unsigned long, unsigned long, unsigned long, unsigned long);
Prctl* next_prctl = nullptr;

void find_next_prctl() {
  const int saved = errno;
  next_prctl = reinterpret_cast<Prctl*>(gprof_runtime::next_symbol("prctl"));
  errno = saved;
}

// Called before the kernel is asked; null if it will refuse or there is nothing to do.
seccomp::Filter* begin_filter(bool strict, const void* program, bool whole_process) {
  if (!gprof_runtime::is_active() || !gprof_runtime::is_own_process()) return nullptr;
  seccomp::Filter* filter = strict
                                ? seccomp::prepare_strict()
                                : seccomp::prepare(static_cast<const struct sock_fprog*>(program));
  if (filter == nullptr) return nullptr;
  gprof_runtime::live::reserve_for_filter();
  gprof_runtime::sampler::give_up_noting_crashes();
  gprof_runtime::sampler::prepare_for_filter(*filter, whole_process);
  seccomp::install(filter, whole_process);
  return filter;
}

bool is_filter(long option, long mode) {
  return option == PR_SET_SECCOMP && (mode == SECCOMP_MODE_STRICT || mode == SECCOMP_MODE_FILTER);
}

seccomp::Filter* begin_filter_by_prctl(long option, long mode, long program) {
  if (!is_filter(option, mode)) return nullptr;
  return begin_filter(mode == SECCOMP_MODE_STRICT, reinterpret_cast<const void*>(program), false);
}

// Forgets the filter if the kernel refused it or, asked for all threads, named one in the way.
long end_filter(seccomp::Filter* filter, long result) {
  if (filter != nullptr && result != 0) seccomp::uninstall(filter);
  return result;
}

}  // namespace

void gprof_runtime::find_filter_calls() {
  gprof_runtime_find_next_syscall();
  find_next_prctl();
}

void gprof_runtime_find_next_syscall() {
  const int saved = errno;
  gprof_runtime_next_syscall =
      reinterpret_cast<long (*)(long, ...)>(gprof_runtime::next_symbol("syscall"));
  errno = saved;
}

long gprof_runtime_syscall_seccomp(long number, long operation, long flags, void* arguments) {
  seccomp::Filter* filter = nullptr;
  const bool strict = operation == SECCOMP_SET_MODE_STRICT;
  if (gprof_runtime_next_syscall == nullptr) gprof_runtime_find_next_syscall();
  if (strict || operation == SECCOMP_SET_MODE_FILTER) {
    filter = begin_filter(strict, arguments, (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
  }
  const long result = gprof_runtime_next_syscall(number, operation, flags, arguments);
  // With a listener for notifications, its descriptor.
  const bool listens = (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0 && result > 0;
  return listens ? result : end_filter(filter, result);
}

long gprof_runtime_syscall_prctl(long number, long option, long b, long c, long d, long e) {
  if (gprof_runtime_next_syscall == nullptr) gprof_runtime_find_next_syscall();
  seccomp::Filter* filter = begin_filter_by_prctl(option, b, c);
  return end_filter(filter, gprof_runtime_next_syscall(number, option, b, c, d, e));
}

long gprof_runtime_syscall_that_waits(long number, long a, long b, long c, long d, long e, long f) {
  if (gprof_runtime_next_syscall == nullptr) gprof_runtime_find_next_syscall();
  const auto place = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  return gprof_runtime::waits::measured_syscall(gprof_runtime_next_syscall, place, number, a, b, c,
                                                d, e, f);
}

GPROF_EXPORT int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  const auto b = va_arg(list, unsigned long);
  const auto c = va_arg(list, unsigned long);
  const auto d = va_arg(list, unsigned long);
  const auto e = va_arg(list, unsigned long);
  va_end(list);
  if (next_prctl == nullptr) find_next_prctl();
  seccomp::Filter* filter =
      begin_filter_by_prctl(option, static_cast<long>(b), static_cast<long>(c));
  return static_cast<int>(end_filter(filter, next_prctl(option, b, c, d, e)));
}

// Everything else jumps to the next syscall() as if this one were not there: a child created by it
// may return on another stack.
#if defined(__x86_64__)
asm(R"(
        .text
        .globl  syscall
        .type   syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmpq    $317, %rdi              # SYS_seccomp
        je      gprof_runtime_syscall_seccomp
        cmpq    $157, %rdi              # SYS_prctl
        je      gprof_runtime_syscall_prctl
        cmpq    $202, %rdi              # SYS_futex
        je      gprof_runtime_syscall_that_waits
        cmpq    $426, %rdi              # SYS_io_uring_enter
        je      gprof_runtime_syscall_that_waits
        movq    gprof_runtime_next_syscall(%rip), %rax
        testq   %rax, %rax
        jz      1f
        jmp     *%rax
1:      pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 56
        call    gprof_runtime_find_next_syscall
        addq    $8, %rsp
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        .cfi_adjust_cfa_offset -56
        jmp     *gprof_runtime_next_syscall(%rip)
        .cfi_endproc
        .size   syscall, . - syscall
)");
static_assert(SYS_seccomp == 317 && SYS_prctl == 157);
static_assert(SYS_futex == 202 && SYS_io_uring_enter == 426);
#elif defined(__aarch64__)
asm(R"(
        .text
        .globl  syscall
        .type   syscall, %function
syscall:
        .cfi_startproc
        hint    #34                     // bti c
        cmp     x0, #277                // SYS_seccomp
        b.eq    gprof_runtime_syscall_seccomp
        cmp     x0, #167                // SYS_prctl
        b.eq    gprof_runtime_syscall_prctl
        cmp     x0, #98                 // SYS_futex
        b.eq    gprof_runtime_syscall_that_waits
        cmp     x0, #426                // SYS_io_uring_enter
        b.eq    gprof_runtime_syscall_that_waits
        adrp    x16, gprof_runtime_next_syscall
        ldr     x16, [x16, #:lo12:gprof_runtime_next_syscall]
        cbz     x16, 1f
        br      x16
1:      stp     x29, x30, [sp, #-80]!
        .cfi_adjust_cfa_offset 80
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        bl      gprof_runtime_find_next_syscall
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldp     x29, x30, [sp], #80
        .cfi_adjust_cfa_offset -80
        .cfi_restore x30
        adrp    x16, gprof_runtime_next_syscall
        ldr     x16, [x16, #:lo12:gprof_runtime_next_syscall]
        br      x16
        .cfi_endproc
        .size   syscall, . - syscall
)");
static_assert(SYS_seccomp == 277 && SYS_prctl == 167);
static_assert(SYS_futex == 98 && SYS_io_uring_enter == 426);
#endif
