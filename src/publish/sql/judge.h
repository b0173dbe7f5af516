// SPDX-License-Identifier: MIT
/* The judge: what follows from records of somebody's function (harm.sql, judge.sql). */
#ifndef ULPLAB_JUDGE_H
#define ULPLAB_JUDGE_H

#include <jansson.h>

#include "base/error.h"

/* Says of each build that rows of `accuracy --beside base` are of what harm its flags do: *harm is
 * {id: {wrong, changed, flushed: counts; what, family, n, unit, error, of_base: the error that
 * grows most, absent where none does; worse, harmless: 0 or 1; why: in words, absent where
 * harmless}}. */
int judge_harm(const json_t *rows, const char *base, json_t **harm, struct error *e);

/* Completes the document of a trial from its facts (study/trial.h): builds, verdict, advice, as
 * docs/contract.md has them. */
int judge_trial(json_t *document, struct error *e);

#endif
