// The functions of libc that may wait (waits/wait_functions.inc): each jumps to what is in its place
// of gprof_runtime_wait_entries, in which waits/wait_hooks.cc puts the next function of the name, or
// the one that measures it. Until then, that place leads to a finder.
//
// While waits are measured, pthread_mutex_lock() goes to gprof_runtime_lock_mutex, which jumps on to
// gprof_runtime_free_mutex_entry if the mutex is free, as its first word tells, and to
// gprof_runtime_taken_mutex_entry otherwise.

        .macro  entry name
        .text
        .p2align 4
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        jmp     *gprof_runtime_wait_entries+8*number(%rip)
        .cfi_endproc
        .size   \name, .-\name

        .type   finder_of_\name, @function
finder_of_\name:
        .cfi_startproc
        endbr64
        movl    $number, %r11d
        jmp     find_and_jump
        .cfi_endproc
        .size   finder_of_\name, .-finder_of_\name

        .section .data.rel.local, "aw", @progbits
        .quad   finder_of_\name
        .set    number, number+1
        .endm

        .section .data.rel.local, "aw", @progbits
        .p2align 3
        .globl  gprof_runtime_wait_entries
        .hidden gprof_runtime_wait_entries
        .type   gprof_runtime_wait_entries, @object
gprof_runtime_wait_entries:
        .set    number, 0

#define WAIT_FUNCTION(name, kind, measured) entry name
#define WAIT_FUNCTION_AS(name, shown, kind, measured) entry name
#include "runtime/waits/wait_functions.inc"

        .section .data.rel.local, "aw", @progbits
        .size   gprof_runtime_wait_entries, .-gprof_runtime_wait_entries

        .macro  place name
        .globl  \name
        .hidden \name
        .type   \name, @object
\name:
        .quad   0
        .size   \name, .-\name
        .endm

        place   gprof_runtime_free_mutex_entry
        place   gprof_runtime_taken_mutex_entry

// Reads what libc reads first, and first what it reads first (holders::is_free()): what faults here
// would fault there. Null is left to libc.
        .text
        .p2align 4
        .globl  gprof_runtime_lock_mutex
        .hidden gprof_runtime_lock_mutex
        .type   gprof_runtime_lock_mutex, @function
gprof_runtime_lock_mutex:
        .cfi_startproc
        endbr64
        testq   %rdi, %rdi
        jz      1f
        movl    16(%rdi), %eax
        cmpl    $0, (%rdi)
        jne     1f
        jmp     *gprof_runtime_free_mutex_entry(%rip)
1:      jmp     *gprof_runtime_taken_mutex_entry(%rip)
        .cfi_endproc
        .size   gprof_runtime_lock_mutex, .-gprof_runtime_lock_mutex

// Looks for the function whose number is in %r11d, and jumps to it with the arguments that this one
// got.
        .text
        .p2align 4
        .type   find_and_jump, @function
find_and_jump:
        .cfi_startproc
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        pushq   %rax
        .cfi_adjust_cfa_offset 56
        movl    %r11d, %edi
        call    gprof_runtime_find_wait_function
        movq    %rax, %r11
        popq    %rax
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        .cfi_adjust_cfa_offset -56
        jmp     *%r11
        .cfi_endproc
        .size   find_and_jump, .-find_and_jump

        .section .note.GNU-stack, "", @progbits
