// gprof_runtime_call_with_words(function, words, count): calls a variadic function with so many
// arguments, each a word. At least eight words can be read.

#include "runtime/arch/hidden_function.inc"

        hidden_function gprof_runtime_call_with_words
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        movq    %rdi, %r11
        movq    %rsi, %r10
        movq    %rdx, %rcx
        subq    $6, %rcx                # words on the stack
        jle     2f
        testb   $1, %cl
        jz      1f
        pushq   $0                      # keeps the stack aligned
1:      pushq   -8(%r10,%rdx,8)
        decq    %rdx
        decq    %rcx
        jnz     1b
2:      movq    (%r10), %rdi
        movq    8(%r10), %rsi
        movq    16(%r10), %rdx
        movq    24(%r10), %rcx
        movq    32(%r10), %r8
        movq    40(%r10), %r9
        xorl    %eax, %eax              # no arguments in vector registers
        call    *%r11
        movq    %rbp, %rsp
        .cfi_def_cfa_register rsp
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        ret
        .cfi_endproc
        .size   gprof_runtime_call_with_words, .-gprof_runtime_call_with_words

        .section .note.GNU-stack, "", @progbits
