// SPDX-License-Identifier: MIT
/* search: the worst input of a kernel inside a box of values, for rows of n. What is maximised is
 * the error over its proven bound where the kernel has one; the error in ULP for a function of one
 * number; else the input-scaled error (in u): the plain ULP of a mean or a logsumexp has no largest
 * value near zero. Uniform random rows of the same box have the same budget, for comparison. */
#ifndef ULPLAB_SEARCH_H
#define ULPLAB_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/record.h"
#include "model/registry.h"

/* The factor over the score of random rows that a search is expected to reach. */
#define SEARCH_GAIN 1.5

/* The box and the budget of a search. */
struct search_request {
    const char *op;
    const char *folder; /* of results: rows that are found go to its adversarial/ */
    size_t n;           /* at least 1 */
    float low, high;    /* the box: every value in [low, high] */
    uint64_t seed;
    uint64_t evaluations; /* rows, per variant and method; or 0, and `seconds` in all */
    double seconds;
    bool all;         /* every variant; false: the widest ISA and one compiler under `off` */
    int threads;      /* 0: one per core of the cpuset; no find depends on it */
    double silence_s; /* a variant that takes longer on a round is taken to hang */
    bool quiet;
};
struct search_request search_default(const char *op);

/* "LO,HI" as strtof() reads them, finite. EXIT_USAGE. */
int search_parse_box(const char *text, struct search_request *request, struct error *e);

/* Runs a search. It puts one record ("record": "search") per variant: id, op, n, box, seed, status,
 * objective ("bound", "ulp" or "scaled"), score, max_ulp, bound_ratio, scaled_error, special (a NaN
 * or an infinity where none belongs), input (the file's name, in the folder), evaluations, seconds,
 * history [[evaluations, score], ..]; random: {score, evaluations, seconds, history}; gain: score
 * over random's; room: the largest possible gain, for a kernel that promises its bound; level_from:
 * the share of the evaluations after which the score rose by less than 1%; and if gain is below
 * SEARCH_GAIN, limit: a sentence that explains these. Variants of equal code are searched once. The
 * process must not have used OpenMP before. Returns the codes of accuracy_run(). */
int search_run(const struct search_request *, const struct registry *, struct record_sink,
               struct tally *, struct error *);

/* Replaces the records in the folder's search.jsonl of the same variants, n and box. */
int search_keep(const char *folder, const json_t *records, struct error *e);

#endif
