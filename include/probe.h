// SPDX-License-Identifier: MIT
/* The results of a flag regime's probe: simd/probe.c, compiled once per {compiler, ISA, policy},
 * computes values that show what its compiler did. src/study/litmus.c has what each regime
 * should do. */
#ifndef ULPLAB_PROBE_H
#define ULPLAB_PROBE_H

#include <stdbool.h>

struct probe_result {
    /* Whether a * b + c was rounded once, ... */
    bool contracts;                   /* in v_mad (intrinsics; in the scalar ISA an expression) */
    bool contracts_in_expression;     /* in one expression of plain C */
    bool contracts_across_statements; /* in t = a * b; t + c, in plain C */
    /* Whether additions were regrouped, ... */
    bool reassociates;     /* a TwoSum's error term came out as zero */
    bool deletes_rounding; /* (x + 1.5 * 2^23) - 1.5 * 2^23 came out as x */
    /* Whether NaN is still found, ... */
    bool honours_nan;               /* by v_unord */
    bool honours_nan_in_expression; /* by x != x */
    /* Whether MXCSR has neither FTZ nor DAZ set, and products from and to subnormals are right. */
    bool honours_subnormals;
};

struct probe {
    void (*run)(struct probe_result *);
};

#endif
