// SPDX-License-Identifier: MIT
/* The call of a function from elsewhere: a C declaration whose parameter names say what each
 * parameter is. `void f(const float *x, float *y, int n)` is called row by row; a function with
 * `rows` is called once for all of them. */
#ifndef ULPLAB_CALL_H
#define ULPLAB_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum role {
    ROLE_X, /* the input row; alone, without y: in place */
    ROLE_Y,
    ROLE_N,
    ROLE_BYTES, /* of a row, in place of n */
    ROLE_ROWS,
    ROLE_X_STRIDE, /* elements from a row to the next; and of y */
    ROLE_Y_STRIDE,
    ROLE_GAMMA,
    ROLE_BETA,
    ROLE_EPS,
    ROLE_SCALE,
    ROLE_MEAN, /* results per row */
    ROLE_VARIANCE,
    ROLE_RSTD,
    ROLE_ONE, /* a parameter that is always 1, 0, NULL */
    ROLE_ZERO,
    ROLE_NULL,
    ROLE_SECOND, /* the second operand: the other half of the row (up, mask) */
    ROLE_THIRD,
    ROLE_FOURTH,
    ROLE_COUNT,
};
/* Returns the names of a role, separated by spaces; the first is the one to write. */
const char *role_names(enum role);

struct argument {
    char type[96];
    char name[48];
    enum role role;
};
enum { CALL_ARGUMENTS_MAX = 16 };

struct call {
    char name[200]; /* as the declaration has it, qualified */
    char returns[96];
    struct argument arguments[CALL_ARGUMENTS_MAX];
    size_t count;
    bool row_by_row; /* said: never several rows in a call */
    unsigned lanes;  /* of a function of a vector (__m256); 1: of a number; 0: of pointers */
    bool value;      /* it returns the result */
    bool in_place;
    unsigned operands; /* parts of an input row */
};

/* Parses a declaration such as `void f(const float *x, float *y, int n) per row`. EXIT_USAGE where
 * a parameter's name says nothing, with what to write; with `by_type` its type and its place then
 * decide, where they can. */
int call_parse(struct call *, const char *declaration, bool by_type, struct error *);
/* Prints the declaration, with the names of the roles. */
void call_print(const struct call *, FILE *);
const struct argument *call_argument(const struct call *, enum role);

#endif
