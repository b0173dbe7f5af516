/* SPDX-License-Identifier: MIT */
/* The queries and the pages' files, embedded as C strings: an installed program needs no source
 * tree. Headers beside them declare them; sections.list names the sections. */
    .section .note.GNU-stack, "", @progbits

    .macro embed name, file, from=32  # behind the line of the licence
    .section .rodata
    .globl \name
\name:
    .incbin "src/publish/\file", \from
    .byte 0
    .endm

    .irp name, schema, load, records, machine, run, sums, earlier, migrate, modes, rename
    embed db_\name\()_sql, db/\name\().sql
    .endr

    .irp name, facts, findings, types, narrow, summary_json, first_codes, first_errors, \
               gains, winners, policy, policy_text, policy_document, policy_emit, policy_paste, \
               flags_paste, paste, \
               machines_scope, machines_lines, machines_figures, machines_answer, \
               machines_facts, machines_isas, machines_policies, machines_differ, machines_winners, \
               machines_limits, machines_list, machines_races, machines_page, \
               compare_scope, compare, compare_text, compare_document, duel_text, pair_text, duel_document, \
               history, history_document, history_text, harm, judge, choice, builds, asked, \
               check, check_asked, check_baseline, check_document, check_text, check_junit, \
               archive_list, archive_show, archive_text, found, \
               found_accuracy, found_bench, found_codegen, found_diverge, found_explain, found_identify, \
               found_instructions, found_scan, found_search, fleet, fleet_types, fleet_nodes, fleet_states, \
               fleet_tasks, fleet_text, fleet_document
    embed sql_\name, sql/\name\().sql
    .endr

    .macro question_sql name
    embed question_\name, sql/\name\().sql
    .endm
#define QUESTION(name) question_sql name;
#include "sql/questions.list"

    .macro section_sql name
    embed sql_section_\name, sections/\name\().sql
    .endm
#define SECTION(id, title, nav, where) section_sql id
#include "sections/sections.list"

    .irp name, rows, gbench, openmetrics
    embed export_\name\()_sql, export/\name\().sql
    .endr
    embed export_schemas, export/schemas.txt, 0

    .irp name, report_page, vector_page, history_page, site_tables, site_run, site_add, site_cpu, \
               site_operation, site_index, site_page
    embed \name\()_sql, site/\name\().sql, 0
    .endr
    .irp name, page, filters, grid, drawing, app, tables, charts, vectors, vectors_chart, machines, \
               history, site
    embed \name\()_js, site/assets/\name\().js, 0
    .endr
    embed report_css, site/assets/report.css, 0
    .irp name, vectors, machines, history, site
    embed \name\()_html, site/assets/\name\().html, 0
    .endr
    section_sql head   # of a report
    section_sql trial  # of a trial, not of a report
