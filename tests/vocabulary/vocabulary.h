// SPDX-License-Identifier: MIT
/* The vector vocabulary of simd/vocabulary/<isa>/vec.h as tables that a test can walk: lanes.c is
 * compiled once per ISA, under the strict policy. */
#ifndef ULPLAB_TEST_VOCABULARY_H
#define ULPLAB_TEST_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* The operands for which an operation is defined. */
enum domain {
    ANY,
    SCALE,      /* |a| in [2^-20, 2^20], 0, inf or NaN; b integral in [-252, 254] */
    SCALE_DOWN, /* a as for SCALE; b integral in [-190, 0] */
    POSITIVE,   /* a is positive and finite */
};

struct lanes_op {
    const char *name;
    enum domain domain;
    bool bits; /* NaN results are equal in every bit, too */
    /* Applies the operation to one vector; each pointer has `lanes` floats. */
    void (*apply)(const float *a, const float *b, const float *c, float *result);
};

struct vocabulary {
    const char *isa;
    size_t lanes;
    const struct lanes_op *ops;
    size_t op_count;
    void (*load_part)(const float *p, size_t n, float fill, float *result);
    void (*store_part)(float *p, const float *a, size_t n);
    void (*first)(const float *a, size_t n, float fill, float *result);
    bool (*any_less)(const float *a, const float *b); /* m_any(v_lt(a, b)) */
    float (*sum)(const float *a);
    float (*hmax)(const float *a);
};

extern const struct vocabulary vocabulary_scalar, vocabulary_sse, vocabulary_avx2,
    vocabulary_avx512;

#endif
