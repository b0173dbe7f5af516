/* SPDX-License-Identifier: MIT */
/* The SQL of this folder, embedded as C strings; sql.h declares them. */
    .section .note.GNU-stack, "", @progbits

    .macro sql name, file
    .section .rodata
    .globl \name
\name:
    .incbin "src/publish/db/\file", 32  # behind the line of the licence
    .byte 0
    .endm

    sql db_schema_sql, "schema.sql"
    sql db_load_sql, "load.sql"
    sql db_run_sql, "run.sql"
    sql db_sums_sql, "sums.sql"
    sql db_earlier_sql, "earlier.sql"
    sql db_migrate_sql, "migrate.sql"
    sql db_modes_sql, "modes.sql"
