// Two loops for calls/call_overhead.cc: `count` calls of a counted and of an uncounted function. The
// addresses of the arc are exported so that its entry can be made in advance.
        .text
        .p2align 6
        .globl  gprof_runtime_price_counted, gprof_runtime_price_from, gprof_runtime_price_self
        .hidden gprof_runtime_price_counted, gprof_runtime_price_from, gprof_runtime_price_self
        .type   gprof_runtime_price_counted, @function
gprof_runtime_price_counted:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
1:      call    2f
gprof_runtime_price_from:
        decq    %rdi
        jnz     1b
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        .p2align 6
2:      call    gprof_runtime_fentry
gprof_runtime_price_self:
        ret
        .cfi_endproc
        .size   gprof_runtime_price_counted, .-gprof_runtime_price_counted

        .p2align 6
        .globl  gprof_runtime_price_plain
        .hidden gprof_runtime_price_plain
        .type   gprof_runtime_price_plain, @function
gprof_runtime_price_plain:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
1:      call    2f
        decq    %rdi
        jnz     1b
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        .p2align 6
2:      ret
        .cfi_endproc
        .size   gprof_runtime_price_plain, .-gprof_runtime_price_plain

        .section .note.GNU-stack, "", @progbits
