/* The litmus of a flag regime: simd/probe.c, compiled once per {compiler, ISA, policy}, says by
 * values what its compiler did. What each regime should do stands in src/study/litmus.c. */
#ifndef ULPLAB_PROBE_H
#define ULPLAB_PROBE_H

#include <stdbool.h>

struct probe_result {
    /* a * b + c was rounded once, ... */
    bool contracts;                   /* as v_mad (intrinsics; in the scalar ISA an expression) */
    bool contracts_in_expression;     /* in one expression of plain C */
    bool contracts_across_statements; /* t = a * b; t + c, in plain C */
    /* Additions were regrouped, ... */
    bool reassociates;     /* a TwoSum's error term came out as zero */
    bool deletes_rounding; /* (x + 1.5 * 2^23) - 1.5 * 2^23 came out as x */
    /* NaN is still found, ... */
    bool honours_nan;               /* by v_unord */
    bool honours_nan_in_expression; /* by x != x */
    /* MXCSR says neither FTZ nor DAZ, and multiplication takes and yields subnormals. */
    bool honours_subnormals;
};

struct probe {
    void (*run)(struct probe_result *);
};

#endif
