/* SPDX-License-Identifier: MIT */
# The loops that find a core's limits, one set per vector width. Assembly, so that src/ stays
# baseline code without FMA, and so that what is measured is what is written here. The caller has
# asked CPUID and XCR0 whether they may run (src/measure/limits.c).
#
#   void loop(const void *x, void *y, size_t bytes, size_t passes);
#            rdi             rsi      rdx           rcx
#
# bytes: of x (and of y), a multiple of 2048, at least that. System V x86-64 calling convention.

        .text

        .macro begin name
        .globl \name
        .type \name, @function
        .balign 64
\name:
        .endm

        .macro finish name
        dec %rcx
        jnz 1b
        sfence
        vzeroupper
        ret
        .size \name, . - \name
        .endm

# ---- Arithmetic ------------------------------------------------------------------------------
# Chains enough to hide a latency of 6 cycles in two units. Each a = a/2 + 1/2 stays normal.
        .macro fma_loop width, suffix, register
        begin limit_fma_\width
        vbroadcastss half(%rip), %\register\()15
        .irp i, 0,1,2,3,4,5,6,7,8,9,10,11
        vmovaps %\register\()15, %\register\i
        .endr
        .balign 64
1:      .rept 4
        .irp i, 0,1,2,3,4,5,6,7,8,9,10,11
        vfmadd132\suffix %\register\()15, %\register\()15, %\register\i
        .endr
        .endr
        finish limit_fma_\width
        .endm

# Two of three are FMA, one an addition, which some cores perform in units of their own: there this is
# faster than FMA alone. A sum grows to 2^23 and stays there.
        .macro two_fma_and_add suffix, register, product, product2, sum
        vfmadd132\suffix %\register\()15, %\register\()15, %\register\product
        vfmadd132\suffix %\register\()15, %\register\()15, %\register\product2
        vadd\suffix %\register\()15, %\register\sum, %\register\sum
        .endm
        .macro mixed_loop width, suffix, register
        begin limit_mixed_\width
        vbroadcastss half(%rip), %\register\()15
        .irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14
        vmovaps %\register\()15, %\register\i
        .endr
        .balign 64
1:      .rept 4
        two_fma_and_add \suffix, \register, 0, 1, 10
        two_fma_and_add \suffix, \register, 2, 3, 11
        two_fma_and_add \suffix, \register, 4, 5, 12
        two_fma_and_add \suffix, \register, 6, 7, 13
        two_fma_and_add \suffix, \register, 8, 9, 14
        .endr
        finish limit_mixed_\width
        .endm

# ---- Ports -----------------------------------------------------------------------------------
# What kinds of instruction can start together: mixes of multiplications (an FMA starts where they
# do), additions, maxima and integer additions, no result of which anything waits for.
        .macro port_m suffix, register
        vmul\suffix %\register\()15, %\register\()15, %\register\()0
        .endm
        .macro port_a suffix, register
        vadd\suffix %\register\()15, %\register\()15, %\register\()1
        .endm
        .macro port_x suffix, register
        vmax\suffix %\register\()15, %\register\()15, %\register\()2
        .endm
        .macro port_i suffix, register
        vpaddd %\register\()15, %\register\()15, %\register\()3
        .endm
# A lane has nothing to permute: an integer addition is there.
        .macro port_p suffix, register
        .ifc \register, xmm
        vpaddd %xmm15, %xmm15, %xmm4
        .else
        vpermd %\register\()15, %\register\()15, %\register\()4
        .endif
        .endm
        .macro ports_loop name, width, suffix, register, kinds:vararg
        begin limit_ports_\name\()_\width
        vbroadcastss half(%rip), %\register\()15
        .balign 64
1:      .rept 12
        .irp kind, \kinds
        port_\kind \suffix, \register
        .endr
        .endr
        finish limit_ports_\name\()_\width
        .endm
        .macro ports_loops name, kinds:vararg
        ports_loop \name, scalar, ss, xmm, \kinds
        ports_loop \name, sse, ps, xmm, \kinds
        ports_loop \name, avx2, ps, ymm, \kinds
        ports_loop \name, avx512, ps, zmm, \kinds
        .endm

# ---- Loads and copies ------------------------------------------------------------------------
        .macro load_loop width, move, register, step
        begin limit_load_\width
1:      mov %rdi, %rax
        lea (%rdi,%rdx), %r8
        .balign 32
2:      .irp i, 0,1,2,3,4,5,6,7
        \move \i*\step(%rax), %\register\i
        .endr
        add $8*\step, %rax
        cmp %r8, %rax
        jb 2b
        finish limit_load_\width
        .endm

# Four streams, a quarter of the data each: more of them keep more prefetchers busy.
        .macro streams_loop width, move, register, step
        begin limit_streams_\width
        mov %rdx, %r9
        shr $2, %r9
        lea (%r9,%r9,2), %r10
1:      mov %rdi, %rax
        lea (%rdi,%r9), %r8
        .balign 32
2:      .irp i, 0,1
        \move \i*\step(%rax), %\register\()0
        \move \i*\step(%rax,%r9), %\register\()1
        \move \i*\step(%rax,%r9,2), %\register\()2
        \move \i*\step(%rax,%r10), %\register\()3
        .endr
        add $2*\step, %rax
        cmp %r8, %rax
        jb 2b
        finish limit_streams_\width
        .endm

        .macro copy_loop name, width, load, store, register, step
        begin limit_\name\()_\width
1:      mov %rdi, %rax
        mov %rsi, %r9
        lea (%rdi,%rdx), %r8
        .balign 32
2:      .irp i, 0,1,2,3
        \load \i*\step(%rax), %\register\i
        .endr
        .irp i, 0,1,2,3
        \store %\register\i, \i*\step(%r9)
        .endr
        add $4*\step, %rax
        add $4*\step, %r9
        cmp %r8, %rax
        jb 2b
        finish limit_\name\()_\width
        .endm

        fma_loop scalar, ss, xmm
        fma_loop avx2, ps, ymm
        fma_loop avx512, ps, zmm
        mixed_loop scalar, ss, xmm
        mixed_loop avx2, ps, ymm
        mixed_loop avx512, ps, zmm
        ports_loops m, m
        ports_loops a, a
        ports_loops x, x
        ports_loops ma, m, a
        ports_loops mma, m, a, m
        ports_loops mx, m, x
        ports_loops mmx, m, x, m
        ports_loops ax, a, x
        ports_loops max, m, a, x
        ports_loops i, i
        ports_loops mi, m, i
        ports_loops mai, m, a, i
        ports_loops maxi, m, a, x, i
        ports_loops maii, m, i, a, i
        ports_loops mix5, m, m, m, p, m, m
        ports_loops mix6, m, m, m, p, m, m, m
        ports_loops mix9, m, m, m, m, p, m, m, m, m, m
        load_loop scalar, vmovss, xmm, 4
        load_loop sse, vmovups, xmm, 16
        load_loop avx2, vmovups, ymm, 32
        load_loop avx512, vmovups, zmm, 64
        streams_loop scalar, vmovss, xmm, 4
        streams_loop sse, vmovups, xmm, 16
        streams_loop avx2, vmovups, ymm, 32
        streams_loop avx512, vmovups, zmm, 64
        copy_loop copy, scalar, vmovss, vmovss, xmm, 4
        copy_loop copy, sse, vmovups, vmovups, xmm, 16
        copy_loop copy, avx2, vmovups, vmovups, ymm, 32
        copy_loop copy, avx512, vmovups, vmovups, zmm, 64
        copy_loop past, sse, vmovaps, vmovntps, xmm, 16
        copy_loop past, avx2, vmovaps, vmovntps, ymm, 32
        copy_loop past, avx512, vmovaps, vmovntps, zmm, 64

        .section .rodata
        .balign 4
half:   .float 0.5
        .section .note.GNU-stack, "", @progbits
