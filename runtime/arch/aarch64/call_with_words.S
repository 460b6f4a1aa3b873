// gprof_runtime_call_with_words(function, words, count): calls a variadic function with so many
// arguments, each a word. At least eight words can be read.

#include "runtime/arch/hidden_function.inc"

        hidden_function gprof_runtime_call_with_words
        .cfi_startproc
        hint    #34                     // bti c
        stp     x29, x30, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        .cfi_def_cfa_register x29
        mov     x16, x0
        mov     x17, x1
        subs    x9, x2, #8              // words on the stack
        b.le    2f
        add     x10, x17, #64           // the first of them
        tbz     x9, #0, 1f
        sub     x9, x9, #1              // alone in its pair
        ldr     x11, [x10, x9, lsl #3]
        stp     x11, xzr, [sp, #-16]!
        cbz     x9, 2f
1:      sub     x9, x9, #2
        add     x12, x10, x9, lsl #3
        ldp     x11, x13, [x12]
        stp     x11, x13, [sp, #-16]!
        cbnz    x9, 1b
2:      ldp     x0, x1, [x17]
        ldp     x2, x3, [x17, #16]
        ldp     x4, x5, [x17, #32]
        ldp     x6, x7, [x17, #48]
        blr     x16
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_adjust_cfa_offset -16
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   gprof_runtime_call_with_words, .-gprof_runtime_call_with_words

        .section .note.GNU-stack, "", %progbits
