// Two loops for calls/call_overhead.cc: `count` calls of a counted and of an uncounted function. The
// addresses of the arc are exported so that its entry can be made in advance.

// Begins a function that counts down x19, whose label 1 is the call; to be followed by `repeat`.
        .macro  begin_loop name
        .p2align 6
        .globl  \name
        .hidden \name
        .type   \name, %function
\name:
        .cfi_startproc
        stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset 29, -32
        .cfi_offset 30, -24
        mov     x29, sp
        str     x19, [sp, #16]
        .cfi_offset 19, -16
        mov     x19, x0
        .endm

        .macro  repeat name
        subs    x19, x19, #1
        b.ne    1b
        ldr     x19, [sp, #16]
        ldp     x29, x30, [sp], #32
        ret
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .text
        .globl  gprof_runtime_price_from, gprof_runtime_price_self
        .hidden gprof_runtime_price_from, gprof_runtime_price_self
        begin_loop gprof_runtime_price_counted
1:      bl      counted
gprof_runtime_price_from:
        repeat  gprof_runtime_price_counted

        .p2align 6
        .type   counted, %function
counted:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset 29, -16
        .cfi_offset 30, -8
        mov     x29, sp
        mov     x0, x30
        bl      gprof_runtime_mcount
gprof_runtime_price_self:
        ldp     x29, x30, [sp], #16
        ret
        .cfi_endproc
        .size   counted, .-counted

        begin_loop gprof_runtime_price_plain
1:      bl      plain
        repeat  gprof_runtime_price_plain

        .p2align 6
        .type   plain, %function
plain:
        ret
        .size   plain, .-plain

        .section .note.GNU-stack, "", %progbits
