// gprof_runtime_call_on_stack(work, argument, end): see process/own_stack.h. Debuggers and unwinders
// find the previous stack through the frame pointer.

#include "runtime/arch/hidden_function.inc"

        hidden_function gprof_runtime_call_on_stack
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsp
        call    *%rax
        movq    %rbp, %rsp
        .cfi_def_cfa_register rsp
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        ret
        .cfi_endproc
        .size   gprof_runtime_call_on_stack, .-gprof_runtime_call_on_stack

        .section .note.GNU-stack, "", @progbits
