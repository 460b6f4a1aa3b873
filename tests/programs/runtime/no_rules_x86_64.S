// Functions that take time and have no call frame information, or wrong one. Their argument is a
// number of rounds; most use every register that they save for something else.
        .text

        .macro function name
        .globl \name
        .type \name, @function
        .p2align 4
\name:
        .endm

        // Uses a label of its own.
        .macro spin
        xor %ebp, %ebp
9:      imul $3, %rax, %rax
        add %rax, %rbp
        dec %rdi
        jnz 9b
        .endm

        .macro spin_without_rbp
9:      imul $3, %rax, %rax
        add %rax, %rdx
        dec %rdi
        jnz 9b
        .endm

function leaf
        spin_without_rbp
        ret

function pushes
        push %rbx
        push %rbp
        push %r12
        sub $0x58, %rsp
        lea 0x10(%rsp), %rbx
        lea 0x18(%rsp), %r12
        spin
        add $0x58, %rsp
        pop %r12
        pop %rbp
        pop %rbx
        ret

function framed
        push %rbp
        mov %rsp, %rbp
        sub $0x100, %rsp
        spin_without_rbp
        leave
        ret

function big
        push %rbp
        sub $0x3000, %rsp
        spin
        add $0x3000, %rsp
        pop %rbp
        ret

        // As hand-written kernels of linear algebra do.
function moves
        sub $96, %rsp
        mov %rbx, (%rsp)
        mov %rbp, 8(%rsp)
        mov %r12, 16(%rsp)
        mov %r13, 24(%rsp)
        mov %rsp, %rbx
        sub $(128 + 8192), %rsp
        and $-4096, %rsp
        spin
        mov %rbx, %rsp
        mov (%rsp), %rbx
        mov 8(%rsp), %rbp
        mov 16(%rsp), %r12
        mov 24(%rsp), %r13
        add $96, %rsp
        vzeroupper
        ret

function realigned
        push %rbp
        mov %rsp, %rbp
        push %r12
        push %rbx
        and $-64, %rsp
        sub $0x440, %rsp
        spin_without_rbp
        lea -16(%rbp), %rsp
        pop %rbx
        pop %r12
        pop %rbp
        ret

        // As compilers realign the stack if they do not know how the function is called.
function realigned_by_r10
        lea 8(%rsp), %r10
        and $-32, %rsp
        push -8(%r10)
        push %rbp
        mov %rsp, %rbp
        push %r10
        sub $0x88, %rsp
        spin_without_rbp
        add $0x88, %rsp
        pop %r10
        pop %rbp
        lea -8(%r10), %rsp
        ret

        // The exit is behind a loop that a jump closes.
function loop_at_end
        push %rbp
        sub $0x20, %rsp
        xor %ebp, %ebp
1:      dec %rdi
        jz 2f
        imul $3, %rax, %rax
        jmp 1b
2:      add $0x20, %rsp
        pop %rbp
        ret

        // Where the exit is, only a table says: the stack has to be searched.
function exit_by_table
        push %rbp
        sub $0x230, %rsp
        spin
        lea 1f(%rip), %rax
        jmp 2f
        .zero 64, 0x06
2:      push %rax
        pop %rcx
        jmp *%rcx
        .zero 16, 0x06
1:      add $0x230, %rsp
        pop %rbp
        ret

        // Calls its second argument with its first one.
function calls_back
        push %rbp
        push %rbx
        sub $0x408, %rsp
        xor %ebp, %ebp
        xor %ebx, %ebx
        call *%rsi
        add $0x408, %rsp
        pop %rbx
        pop %rbp
        ret

        // The rules say that nothing was pushed.
function lies
        .cfi_startproc
        push %rbp
        push %rbx
        sub $0x48, %rsp
        movq $0x1234, (%rsp)
        spin
        add $0x48, %rsp
        pop %rbx
        pop %rbp
        ret
        .cfi_endproc

        // The same, and what is there looks like the outermost frame.
function lies_of_the_end
        .cfi_startproc
        push %rbp
        push %rbx
        sub $0x48, %rsp
        movq $0, (%rsp)
        spin
        add $0x48, %rsp
        pop %rbx
        pop %rbp
        ret
        .cfi_endproc

        // Too large a frame: leads past the caller, to data.
function lies_of_more
        .cfi_startproc
        .cfi_def_cfa_offset 40
        push %rbp
        spin
        pop %rbp
        ret
        .cfi_endproc

        // On a stack of its own, from where nothing leads back.
function elsewhere
        push %rbp
        mov %rsp, saved_stack(%rip)
        lea own_stack_end(%rip), %rsp
        spin
        mov saved_stack(%rip), %rsp
        pop %rbp
        ret

        // Does not write to its frame, in which return addresses of earlier calls are left.
function large_frame
        push %rbp
        sub $0x1000, %rsp
        spin
        add $0x1000, %rsp
        pop %rbp
        ret

        // The same, and the stack has to be searched.
function large_frame_by_table
        push %rbp
        sub $0x1000, %rsp
        spin
        lea 1f(%rip), %rcx
        jmp *%rcx
        .zero 16, 0x06
1:      add $0x1000, %rsp
        pop %rbp
        ret

        .bss
        .p2align 4
saved_stack:
        .zero 16
own_stack:
        .zero 8192
own_stack_end:
        .zero 8192

        .section .note.GNU-stack, "", @progbits
