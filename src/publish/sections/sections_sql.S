/* SPDX-License-Identifier: MIT */
/* The queries of sections, embedded as C strings. */
    .section .note.GNU-stack, "", @progbits

    .macro section_sql name
    .section .rodata
    .globl sql_section_\name
sql_section_\name:
    .incbin "src/publish/sections/\name\().sql", 32  # behind the line of the licence
    .byte 0
    .endm

#define SECTION(id, title, nav, where) section_sql id
#include "sections.list"
