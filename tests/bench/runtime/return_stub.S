// A collector that counts nothing: shows the cost of the calls themselves. Preloaded by
// runtime_bench.py.
        .text
        .globl  mcount, _mcount, __mcount, __fentry__, __monstartup, monstartup, _mcleanup
        .globl  __sanitizer_cov_trace_pc, __sanitizer_cov_trace_pc_guard
        .globl  __sanitizer_cov_trace_pc_guard_init, __sanitizer_cov_pcs_init
        .p2align 6
mcount:
_mcount:
__mcount:
__fentry__:
__sanitizer_cov_trace_pc:
__sanitizer_cov_trace_pc_guard:
        ret
        .p2align 6
__monstartup:
monstartup:
_mcleanup:
__sanitizer_cov_trace_pc_guard_init:
__sanitizer_cov_pcs_init:
        ret
        .section .note.GNU-stack, "", @progbits
