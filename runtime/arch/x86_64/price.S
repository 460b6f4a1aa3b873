// Two loops for calls/call_overhead.cc: `count` calls of a counted and of an uncounted function. The
// addresses of the arc are exported so that its entry can be made in advance.

// Begins a function that counts down rdi, whose label 1 is the call; to be followed by `repeat`.
        .macro  begin_loop name
        .p2align 6
        .globl  \name
        .hidden \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        .endm

        .macro  repeat
        decq    %rdi
        jnz     1b
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        .p2align 6
        .endm

        .text
        .globl  gprof_runtime_price_from, gprof_runtime_price_self
        .hidden gprof_runtime_price_from, gprof_runtime_price_self
        begin_loop gprof_runtime_price_counted
1:      call    2f
gprof_runtime_price_from:
        repeat
2:      call    gprof_runtime_fentry
gprof_runtime_price_self:
        ret
        .cfi_endproc
        .size   gprof_runtime_price_counted, .-gprof_runtime_price_counted

        begin_loop gprof_runtime_price_plain
1:      call    2f
        repeat
2:      ret
        .cfi_endproc
        .size   gprof_runtime_price_plain, .-gprof_runtime_price_plain

        .section .note.GNU-stack, "", @progbits
