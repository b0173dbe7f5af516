// SPDX-License-Identifier: MIT
/* The queries of this folder (publish/embedded.S). Each file describes its question, its columns
 * and their units. */
#ifndef ULPLAB_SQL_H
#define ULPLAB_SQL_H

extern const char sql_summary_json[]; /* summary.json, row by row */
/* The findings of a run before it has timed anything. */
extern const char sql_first_codes[], sql_first_errors[];
extern const char sql_winners[]; /* which build is named as the fastest, likewise */
extern const char sql_gains[];   /* the gain from policies and ISAs, for one run and for several */
/* Policies (policy/policy.h): first the tables that the other queries use. */
extern const char sql_policy[], sql_policy_text[], sql_policy_document[], sql_policy_emit[];
/* Flags as a piece of somebody's build: the forms, then what policy and flags have in them. */
extern const char sql_paste[], sql_policy_paste[], sql_flags_paste[];
extern const char sql_facts[], sql_findings[], sql_narrow[]; /* what all begin with (facts.h) */
extern const char sql_types[]; /* fp32 and double beside each other, likewise */

/* The queries about several machines: first those that make tables for the others, in this order.
 */
extern const char sql_machines_scope[], sql_machines_lines[], sql_machines_figures[];
extern const char sql_machines_answer[], sql_machines_facts[], sql_machines_isas[],
    sql_machines_policies[];
extern const char sql_machines_differ[], sql_machines_winners[], sql_machines_limits[];
extern const char sql_machines_list[], sql_machines_races[]; /* of many of them */
extern const char sql_section_features[]; /* of one run and of several (sections/) */
extern const char sql_machines_page[];    /* the page's data */

/* Comparisons of sides, cell by cell (compare/compare.h). */
extern const char sql_compare_scope[], sql_compare[], sql_compare_text[], sql_compare_document[];
/* Two programs, timed side by side. */
extern const char sql_duel_text[], sql_duel_document[], sql_pair_text[];

/* The cells of an archive over its runs (history/history.h). */
extern const char sql_history[], sql_history_document[], sql_history_text[];

/* What follows from what was measured of a function (judge.h). */
extern const char sql_harm[], sql_judge[], sql_choice[], sql_builds[], sql_asked[];

/* Somebody's functions against a baseline: what is asked, tables, what is made of them
 * (cmd/check.c). */
extern const char sql_check_asked[], sql_check_baseline[];
extern const char sql_check[], sql_check_document[], sql_check_text[], sql_check_junit[];

/* The results of commands for people (found.h): the tables, then a query for each command. */
extern const char sql_found[], sql_found_accuracy[], sql_found_bench[], sql_found_codegen[];
extern const char sql_found_diverge[], sql_found_explain[], sql_found_identify[];
extern const char sql_found_instructions[];
extern const char sql_found_scan[], sql_found_search[];

/* A fleet (cmd/fleet.c): its tables and what fills them, then what is asked of them. */
extern const char sql_fleet[], sql_fleet_types[], sql_fleet_nodes[], sql_fleet_states[];
extern const char sql_fleet_tasks[], sql_fleet_text[], sql_fleet_document[];

/* The runs of an archive (archive/archive.h). */
extern const char sql_archive_list[], sql_archive_show[], sql_archive_text[];

#endif
