/* The litmus of a flag regime: simd/probe.c, compiled once per {compiler, ISA, policy}, says by
 * values what its compiler did. */
#ifndef ULPLAB_PROBE_H
#define ULPLAB_PROBE_H

#include <stdbool.h>

struct probe_result {
    bool contracts;    /* a * b + c was rounded once, in vector code (v_mad) */
    bool reassociates; /* a TwoSum's error term came out as zero */
    bool honours_nan;  /* x != x still finds a NaN */
    bool
        honours_subnormals; /* MXCSR is neither FTZ nor DAZ, and 2^-149 survives a multiplication */
};

struct probe {
    void (*run)(struct probe_result *);
};

#endif
