// SPDX-License-Identifier: MIT
/* Divergence: the variants of an operation on the same inputs, their outputs hashed into classes of
 * equal bits, the classes' representatives compared in pairs; and for each variant, what its bits
 * depend on. */
#ifndef ULPLAB_DIVERGE_H
#define ULPLAB_DIVERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/inputs.h"

struct diverge_plan {
    uint64_t seed;
    int threads; /* 0: one per core of the cpuset; no result depends on it */
    const size_t *n;
    size_t n_count; /* default: 7, 33, 1000, 8209 */
    const enum family *families;
    size_t family_count; /* default: normal, logits, offset */
    size_t elements;     /* per family and n; default: 16384 */
    bool tails;          /* family normal at tail_lengths (measure/accuracy.h), too */
    size_t longest;      /* row on which a variant is compared with itself; default: 8209 */
    size_t paired;       /* classes per operation, the largest, that have pair records; 0: all */
    double silence_s;    /* a variant that takes longer on one block is taken to hang */
    float eps;           /* of operations that have one, in experiments; 0: the lab's */
    double experiment_s; /* 0: the usual experiments (study/experiments.h); else all, and so long */
    bool quiet;
};
struct diverge_plan diverge_plan_default(void);

/* Per operation, in this order, records of kind
 *   "meaning"     op, dtype, variants, classes, elements, sentence
 *   "class"       op, dtype, class (number), size, representative, label, members[]
 *   "diverge"     a, b (representatives), class_a, class_b, elements, mismatched,
 *                 max_ulp_distance, unit (f32, bf16, f16: in whose steps),
 *                 mismatched_bf16, mismatched_fp16, mismatched_nan
 *   "invariance"  id, status, run, threads, row_position, batch, tail, isa, cc, policy
 *                 (true, false or null); with experiment_s experiments[]
 * Elements are outputs over all families and n. Variants of equal code are run once, and a variant
 * that dies is in no class. The process must not have used OpenMP before. 0; EXIT_PARTIAL where a
 * variant died; or what went wrong. */
int diverge_run(const struct diverge_plan *, const struct registry *, struct record_sink,
                struct error *);

#endif
