// SPDX-License-Identifier: MIT
/* The judge: what follows from records of somebody's function (harm.sql, judge.sql). */
#ifndef ULPLAB_JUDGE_H
#define ULPLAB_JUDGE_H

#include <jansson.h>

#include "base/error.h"

/* Says what flags do, from rows of `accuracy --beside base`: *effects is {id: the fields of a
 * record of flags.jsonl from `bits` to `error_of_base`, as docs/contract.md has them}; "" is the id
 * of a build that could not be measured. allow: words of --allow, an array. */
int judge_flags(const json_t *rows, const char *base, const json_t *allow, json_t **effects,
                struct error *e);

/* Completes the document of a trial from its facts (study/trial.h): builds, verdict, advice, as
 * docs/contract.md has them. */
int judge_trial(json_t *document, struct error *e);

#endif
