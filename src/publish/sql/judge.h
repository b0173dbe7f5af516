// SPDX-License-Identifier: MIT
/* The judge: verdicts on measurements (harm.sql, judge.sql, choice.sql, check.sql). */
#ifndef ULPLAB_JUDGE_H
#define ULPLAB_JUDGE_H

#include <jansson.h>

#include "base/error.h"
#include "model/lab_db.h"

/* Opens a database in memory whose table given(document) has one row, the document as JSON without
 * control characters, and runs the SQL, which may be "". */
int judge_open(struct lab_db *l, const json_t *document, const char *sql, struct error *e);

/* Answers a question of `ulplab flags` (study/flags_lab.h) from a document:
 *   effects   of facts as harm.sql has them {id: the fields of a record of flags.jsonl from `bits`
 *             to `error_of_base`, as docs/contract.md has them}; of a build that could not be
 *             measured the id is ""
 *   choice    which set of flags to take, or to time next (choice.sql)
 *   sentence  of a flag-set record {sentence} */
int judge_flags(const char *question, const json_t *document, json_t **answer, struct error *e);

/* Returns the first row of temp.gate(code, text), which compare.sql, history.sql, policy.sql and
 * check.sql make: EXIT_GATE for a gate that fell, EXIT_PARTIAL for one that could not decide, with
 * the reason; 0 if there is no row. */
int judge_gate(const struct lab_db *l, struct error *e);

/* Completes the document of a trial from its facts (study/trial.h) by a question:
 *   builds   of the variants of its small lab {builds, others, copy}, and base among the facts; of
 *            each build `object`, too
 *   asked    what the small lab is asked next {asked} (asked.sql)
 *   verdict  builds, verdict, advice, as docs/contract.md has them */
int judge_trial(const char *question, json_t *document, struct error *e);

#endif
