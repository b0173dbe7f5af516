/* SPDX-License-Identifier: MIT */
/* The questions of this folder, embedded as C strings; ask.c has their table. */
    .section .note.GNU-stack, "", @progbits

    .macro question name
    .section .rodata
    .globl question_\name
question_\name:
    .incbin "src/publish/sql/\name\().sql", 32  # behind the line of the licence
    .byte 0
    .endm

    question fastest
    question policies
    question lost
    question compilers
    question avx512
    question nearest
    question changed_code
    question over_time
    question changed_bits
    question other_bits
    question limits
    question cases
