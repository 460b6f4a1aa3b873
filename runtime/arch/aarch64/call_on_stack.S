// gprof_runtime_call_on_stack(work, argument, end): see process/own_stack.h. Debuggers and unwinders
// find the previous stack through the frame pointer.

#include "runtime/arch/hidden_function.inc"

        hidden_function gprof_runtime_call_on_stack
        .cfi_startproc
        hint    #34                     // bti c
        stp     x29, x30, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        .cfi_def_cfa_register x29
        mov     x9, x0
        mov     x0, x1
        mov     sp, x2
        blr     x9
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_adjust_cfa_offset -16
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   gprof_runtime_call_on_stack, .-gprof_runtime_call_on_stack

        .section .note.GNU-stack, "", %progbits
