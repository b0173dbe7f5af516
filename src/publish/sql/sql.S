/* SPDX-License-Identifier: MIT */
/* The SQL files of this folder, embedded as C strings; sql.h declares them. */
    .section .note.GNU-stack, "", @progbits

    .macro sql name
    .section .rodata
    .globl sql_\name
sql_\name:
    .incbin "src/publish/sql/\name\().sql", 32  # behind the line of the licence
    .byte 0
    .endm

    sql facts
    sql policy
    sql summary_json
    sql policy_lines
    sql policy_rows
    sql policy_scope
    sql policy_words
    sql machines_scope
    sql machines_lines
    sql machines_figures
    sql machines_bytes
    sql machines_answer
    sql machines_facts
    sql machines_isas
    sql machines_policies
    sql machines_differ
    sql machines_winners
    sql machines_limits
    sql machines_list
    sql machines_races
    sql machines_page
    sql compare_scope
    sql compare
    sql compare_table
    sql compare_document
