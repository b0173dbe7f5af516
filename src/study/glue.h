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
    /* What results are made of, over which errors are taken: "sum" of |x|, "dot", the sum of
     * |x x2|, "mean", "sum" over n; "result", where nothing cancels and errors are in ulp; NULL:
     * the result, of which it is not known. */
    const char *scale;
    bool copies; /* only what an in-place function needs besides: the copy of a row */
};

void glue_write(const struct glue *, FILE *);

#endif
