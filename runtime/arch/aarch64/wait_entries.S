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
        .type   \name, %function
\name:
        .cfi_startproc
        hint    #34                     // bti c
        adrp    x16, gprof_runtime_wait_entries+8*number
        ldr     x16, [x16, #:lo12:gprof_runtime_wait_entries+8*number]
        br      x16
        .cfi_endproc
        .size   \name, .-\name

        .type   finder_of_\name, %function
finder_of_\name:
        .cfi_startproc
        hint    #34                     // bti c
        mov     w17, #number
        b       find_and_jump
        .cfi_endproc
        .size   finder_of_\name, .-finder_of_\name

        .section .data.rel.local, "aw", %progbits
        .xword  finder_of_\name
        .set    number, number+1
        .endm

        .section .data.rel.local, "aw", %progbits
        .p2align 3
        .globl  gprof_runtime_wait_entries
        .hidden gprof_runtime_wait_entries
        .type   gprof_runtime_wait_entries, %object
gprof_runtime_wait_entries:
        .set    number, 0

#define WAIT_FUNCTION(name, kind, measured) entry name
#define WAIT_FUNCTION_AS(name, shown, kind, measured) entry name
#include "runtime/waits/wait_functions.inc"

        .section .data.rel.local, "aw", %progbits
        .size   gprof_runtime_wait_entries, .-gprof_runtime_wait_entries

        .macro  place name
        .globl  \name
        .hidden \name
        .type   \name, %object
\name:
        .xword  0
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
        .type   gprof_runtime_lock_mutex, %function
gprof_runtime_lock_mutex:
        .cfi_startproc
        hint    #34                     // bti c
        cbz     x0, 1f
        ldr     w16, [x0, #16]
        ldr     w16, [x0]
        cbnz    w16, 1f
        adrp    x16, gprof_runtime_free_mutex_entry
        ldr     x16, [x16, #:lo12:gprof_runtime_free_mutex_entry]
        br      x16
1:      adrp    x16, gprof_runtime_taken_mutex_entry
        ldr     x16, [x16, #:lo12:gprof_runtime_taken_mutex_entry]
        br      x16
        .cfi_endproc
        .size   gprof_runtime_lock_mutex, .-gprof_runtime_lock_mutex

// Looks for the function whose number is in w17, and jumps to it with the arguments that this one
// got.
        .text
        .p2align 4
        .type   find_and_jump, %function
find_and_jump:
        .cfi_startproc
        stp     x29, x30, [sp, #-96]!
        .cfi_adjust_cfa_offset 96
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        str     x8, [sp, #80]
        mov     w0, w17
        bl      gprof_runtime_find_wait_function
        mov     x16, x0
        ldr     x8, [sp, #80]
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldp     x29, x30, [sp], #96
        .cfi_adjust_cfa_offset -96
        .cfi_restore x29
        .cfi_restore x30
        br      x16
        .cfi_endproc
        .size   find_and_jump, .-find_and_jump

        .section .note.GNU-stack, "", %progbits
