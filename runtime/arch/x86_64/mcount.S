// The entry points that compilers call at the start of each function, x86-64.
//
//   main:  push %rbp; mov %rsp,%rbp; call mcount        gcc, clang -pg
//   main:  call __fentry__; push %rbp; ...              gcc -pg -mfentry
//
// Both may change only %r11 and the flags: arguments are in registers, including vector registers.
// Other registers are saved in the red zone below the stack pointer, which signal handlers leave
// alone.
//
// As described in calls/call_table.h: find the arc's entry in the thread's table and increment its
// count. The increment is one instruction, so that the count of a signal handler for the same arc
// is not lost; it is not locked, because no other thread writes the table. For 512 entries,
//   mask = 511 * 32 = 0x3fe0
//   place = ((rotate(self, 32) + from) * hash_factor >> 37) & 0x3fe0
// Checking the first place takes one saved register; the others that a search needs are saved only
// if another arc is there.
//
// While counting is off, threads have no table.

#include "runtime/arch/x86_64/layout.h"

        .section .rodata.cst8, "aM", @progbits, 8
        .p2align 3
factor:
        .quad   HASH_FACTOR

.macro  SAVE registers:vararg
  .irp  register, \registers
        pushq   %\register
        .cfi_adjust_cfa_offset 8
  .endr
.endm

.macro  RESTORE registers:vararg        // keeps the flags
  .irp  register, \registers
        popq    %\register
        .cfi_adjust_cfa_offset -8
  .endr
.endm

// name, and where `from` is: the slot of the caller's return address
.macro  COUNTER name, return_slot
        .text
        .p2align 6
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        movq    gprof_runtime_current_calls@gottpoff(%rip), %r11
        movq    %rax, -8(%rsp)
        movq    %fs:(%r11), %r11
        movq    (%rsp), %rax            // self
        testq   %r11, %r11
        je      8f
        rolq    $32, %rax
        addq    \return_slot, %rax      // from
        imulq   factor(%rip), %rax
        shrq    $HASH_SHIFT, %rax
        andq    TABLE_MASK(%r11), %rax
        addq    %r11, %rax
        movq    (%rsp), %r11
        cmpq    %r11, TABLE_ENTRIES+ENTRY_SELF(%rax)
        jne     1f
        movq    \return_slot, %r11
        cmpq    %r11, TABLE_ENTRIES+ENTRY_FROM(%rax)
        jne     1f
        incq    TABLE_ENTRIES+ENTRY_COUNT(%rax)
        movq    -8(%rsp), %rax
        ret
        // Another arc is there: try the places after it. %rcx = from, %rdx = self, %r11 = table,
        // %rax = place.
        .p2align 4
1:      movq    %rcx, -16(%rsp)
        movq    %rdx, -24(%rsp)
        movq    gprof_runtime_current_calls@gottpoff(%rip), %r11
        movq    %fs:(%r11), %r11
        movq    (%rsp), %rdx
        movq    \return_slot, %rcx
        subq    %r11, %rax
        // A handler may have put a larger table in place, or counting may have ended.
        testq   %r11, %r11
        je      7f
        andq    TABLE_MASK(%r11), %rax
2:      cmpq    %rcx, TABLE_ENTRIES+ENTRY_FROM(%r11,%rax)
        jne     3f
        cmpq    %rdx, TABLE_ENTRIES+ENTRY_SELF(%r11,%rax)
        jne     4f
        incq    TABLE_ENTRIES+ENTRY_COUNT(%r11,%rax)
        movq    -8(%rsp), %rax
        movq    -16(%rsp), %rcx
        movq    -24(%rsp), %rdx
        ret
3:      cmpq    $0, TABLE_ENTRIES+ENTRY_FROM(%r11,%rax)
        je      7f
4:      addq    $ENTRY_SIZE, %rax
        andq    TABLE_MASK(%r11), %rax
        jmp     2b                      // ends: no table is ever full, see claim_call()
7:      movq    -16(%rsp), %rcx
        movq    -24(%rsp), %rdx
8:      movq    -8(%rsp), %rax
        cmpb    $0, gprof_runtime_counting_enabled(%rip)
        je      9f
        leaq    \return_slot, %r11
        jmp     count_in_full
9:      ret
        .cfi_endproc
        .size   \name, .-\name
.endm

        COUNTER __fentry__, 8(%rsp)
        COUNTER mcount, 8(%rbp)

        // For calls from within the collector, which must not be interposed.
        .globl  gprof_runtime_fentry
        .hidden gprof_runtime_fentry
        .set    gprof_runtime_fentry, __fentry__
        .globl  _mcount, __mcount
        .set    _mcount, mcount
        .set    __mcount, mcount
        .type   _mcount, @function
        .type   __mcount, @function

// The arc is not in the table: calls count_call() with every register saved. %r11 is the address of
// the caller's return address. The saved registers form a Registers of unwind/unwinder.h with the
// values that they have in the caller after the return.
        .text
        .p2align 4
        .type   count_in_full, @function
count_in_full:
        .cfi_startproc
        // Repeated calls via uninstrumented code: save only what a called function may change.
        SAVE    rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
        movq    (%r11), %rdi
        movq    72(%rsp), %rsi
        movq    %r11, %rdx
        call    gprof_runtime_count_known
        testb   %al, %al
        RESTORE r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
        je      5f
        ret
5:      subq    $REGISTERS_SIZE, %rsp
        .cfi_adjust_cfa_offset REGISTERS_SIZE
        movq    %rax, REGISTER(0)(%rsp)
        movq    %rdx, REGISTER(1)(%rsp)
        movq    %rcx, REGISTER(2)(%rsp)
        movq    %rbx, REGISTER(3)(%rsp)
        .cfi_rel_offset rbx, REGISTER(3)
        movq    %rsi, REGISTER(4)(%rsp)
        movq    %rdi, REGISTER(5)(%rsp)
        movq    %r8, REGISTER(8)(%rsp)
        movq    %r9, REGISTER(9)(%rsp)
        movq    %r10, REGISTER(10)(%rsp)
        movq    %r12, REGISTER(12)(%rsp)
        movq    %r13, REGISTER(13)(%rsp)
        movq    %r14, REGISTER(14)(%rsp)
        movq    %r15, REGISTER(15)(%rsp)
        // The caller's frame: pc, its stack pointer just above the return address, and its %rbp,
        // which is pushed below the return address if %r11 is not the top of the stack.
        movq    (%r11), %rdi
        movq    %rdi, REGISTERS_PC(%rsp)
        leaq    8(%r11), %rax
        movq    %rax, REGISTER(7)(%rsp)
        movq    %rbp, %rcx
        leaq    8(%rbp), %rax
        cmpq    %rax, %r11
        jne     1f
        movq    (%rbp), %rcx
1:      movq    %rcx, REGISTER(6)(%rsp)
        movq    REGISTERS_SIZE(%rsp), %rsi
        movq    %r11, %rdx
        movq    %rsp, %rcx
        movq    %rsp, %rbx
        .cfi_def_cfa rbx, REGISTERS_SIZE + 8
        andq    $-16, %rsp
        call    gprof_runtime_count_call
        movq    %rbx, %rsp
        .cfi_def_cfa rsp, REGISTERS_SIZE + 8
        movq    REGISTER(0)(%rsp), %rax
        movq    REGISTER(1)(%rsp), %rdx
        movq    REGISTER(2)(%rsp), %rcx
        movq    REGISTER(3)(%rsp), %rbx
        .cfi_restore rbx
        movq    REGISTER(4)(%rsp), %rsi
        movq    REGISTER(5)(%rsp), %rdi
        movq    REGISTER(8)(%rsp), %r8
        movq    REGISTER(9)(%rsp), %r9
        movq    REGISTER(10)(%rsp), %r10
        addq    $REGISTERS_SIZE, %rsp
        .cfi_adjust_cfa_offset -REGISTERS_SIZE
        ret
        .cfi_endproc
        .size   count_in_full, .-count_in_full

        .section .note.GNU-stack, "", @progbits
