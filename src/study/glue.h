// SPDX-License-Identifier: MIT
/* The kernel file that `ulplab try` writes for a user's function: an ordinary one
 * (include/kernel.h), whose run() calls the function. */
#ifndef ULPLAB_GLUE_H
#define ULPLAB_GLUE_H

#include <stdbool.h>
#include <stdio.h>

#include "oracle/oracle.h"
#include "study/call.h"

struct glue {
    const char *op, *algorithm;
    const char *policies; /* NULL: all */
    bool elementwise;     /* one result per element of an operand; else `columns` per row */
    bool unary;           /* each result depends on one element */
    unsigned columns;
    const struct call *call;
    /* Where the function is: in a source or header to include, else a symbol of another file. */
    const char *include, *symbol;
    bool cxx; /* the file is C++ */
    /* The user's reference; NULL: the lab has one. */
    const struct call *reference;
    const char *reference_include;
    /* The scale that errors are divided by, with the user's reference: "sum" of |x|; "dot", the sum
     * of |x x2|; "mean", the mean of |x|; "abs", the reference's result for |x|; "moved", how far a
     * result moves when inputs do; "steps", `step`; "result", if nothing cancels, with errors in
     * ulp; NULL: unknown, the result. */
    const char *scale;
    double step; /* the unit of errors if the scale is "steps" */
    /* What callers guarantee: rows at multiples of so many bytes, and lengths that are multiples of
     * so many elements; 0: nothing. */
    unsigned aligned, multiple;
    /* For a probe of a fault every row is copied to a place (include/called_places.h): at such a
     * multiple, or 4 bytes behind one. padded: it may write behind a row's end. */
    bool probe, padded;
    bool copies; /* it only copies rows, as the glue of a function in place does */
};

void glue_write(const struct glue *, FILE *);

/* A user's reference in the function's type: the plain loop with which the function is compared. */

/* Returns the text of a C file with float (to_double: double) in place of wider types: in types,
 * constants and calls of libm. Included files are not changed. The caller frees. */
char *narrowed_text(const char *text, bool to_double);

#endif
