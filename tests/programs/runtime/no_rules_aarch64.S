// Functions that take time and have no call frame information, or wrong one. Their argument is a
// number of rounds.
        .text

        .macro function name
        .globl \name
        .type \name, %function
        .p2align 4
\name:
        .endm

        .macro spin
        mov x1, #3
9:      mul x2, x2, x1
        subs x0, x0, #1
        b.ne 9b
        mov x0, x2
        .endm

function leaf
        spin
        ret

        // The return address is only in x30, which is not the frame's lowest word.
function frameless
        sub sp, sp, #0x60
        str x19, [sp, #16]
        mov x19, x0
        spin
        ldr x19, [sp, #16]
        add sp, sp, #0x60
        ret

function pushes
        stp x29, x30, [sp, #-0x50]!
        stp x19, x20, [sp, #16]
        str d8, [sp, #32]
        mov x29, xzr
        mov x30, xzr
        spin
        ldr d8, [sp, #32]
        ldp x19, x20, [sp, #16]
        ldp x29, x30, [sp], #0x50
        ret

function big
        stp x29, x30, [sp, #-16]!
        sub sp, sp, #4, lsl #12
        mov x29, xzr
        mov x30, xzr
        spin
        add sp, sp, #4, lsl #12
        ldp x29, x30, [sp], #16
        ret

function vectors
        stp d8, d9, [sp, #-32]!
        str x30, [sp, #16]
        mov x30, xzr
        spin
        ldr x30, [sp, #16]
        ldp d8, d9, [sp], #32
        ret

        // The rules say that nothing was pushed.
function lies
        .cfi_startproc
        stp x29, x30, [sp, #-32]!
        mov x29, xzr
        mov x30, xzr
        spin
        ldp x29, x30, [sp], #32
        ret
        .cfi_endproc

        .section .note.GNU-stack, "", %progbits
