// SPDX-License-Identifier: MIT
/* The kernel file that `ulplab try` writes around a function from elsewhere: an ordinary one of
 * include/kernel.h, whose run() calls it. */
#ifndef ULPLAB_GLUE_H
#define ULPLAB_GLUE_H

#include <stdbool.h>
#include <stdio.h>

#include "oracle/oracle.h"
#include "study/call.h"

struct glue {
    const char *op, *algorithm;
    const char *policies; /* NULL: all */
    bool elementwise;     /* its results: one per element of an operand, else `columns` per row */
    bool unary;           /* and of that element alone */
    unsigned columns;
    const struct call *call;
    /* The place of the function: a source or header to include, else a symbol of another file. */
    const char *include, *symbol;
    bool cxx; /* the file is C++ */
    /* A reference of the user's own; NULL: the lab has one. */
    const struct call *reference;
    const char *reference_include;
    /* Over what errors are taken where the reference is the user's: the "sum" of |x|; "dot", the
     * sum of |x x2|; "mean", that sum over n; "abs", the reference's results of |x|; "moved", how
     * far its results move as inputs do; "steps", `step`; "result", where nothing cancels and
     * errors are in ulp; NULL: unknown, the result. */
    const char *scale;
    double step; /* what errors are counted in */
    /* What callers keep: rows at multiples of so many bytes, and lengths of so many elements; 0:
     * nothing. */
    unsigned aligned, multiple;
    /* A probe of a fault: every row is placed, at such a multiple or 4 bytes behind one; what is
     * written behind its end is a fault, unless it is padded. */
    bool probe, padded;
    bool copies; /* only what an in-place function needs besides: the copy of a row */
};

void glue_write(const struct glue *, FILE *);

/* A user's reference in the type of the function that is tried, float or double: the plain loop
 * beside a function of an operation that the lab does not have. */

/* Returns the text of a C file with float (to_double: double) in the place of wider types: its
 * types, its constants, and the functions of libm that it calls. What it includes stays. The caller
 * frees. */
char *narrowed_text(const char *text, bool to_double);

#endif
