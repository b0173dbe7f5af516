// SPDX-License-Identifier: MIT
/* The call of a function from elsewhere: a C declaration whose parameter names say what each
 * parameter is. `void f(const float *x, float *y, int n)` is called row by row; a function with
 * `rows` is called once for all of them.
 *
 * call_parse() reads a declaration; call_settle() decides, by what the operation has, what every
 * parameter is and why that is believed. The glue, the screen and the JSON document take it from
 * there. */
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
    ROLE_SECOND, /* the second operand: the other half of the row (up, mask) */
    ROLE_THIRD,
    ROLE_FOURTH,
    ROLE_MASK, /* of a function of a vector: the lanes that count */
    ROLE_ONE,  /* a parameter that is always 1, 0, NULL */
    ROLE_ZERO,
    ROLE_NULL,
    ROLE_VALUE, /* a parameter that is always what the declaration says: `int mode = 2` */
    ROLE_SPARE, /* an array that is written, beside the result, which is returned */
    ROLE_COUNT,
};
/* Returns the names of a role, separated by spaces; the first is the one to write. */
const char *role_names(enum role);

struct parameter {
    char type[96];
    char name[48];
    char value[48]; /* what stands behind `=`, or "" */
    enum role role;
    bool weak;       /* its name alone does not decide: b, w, g, m, c, k */
    const char *why; /* what its role is believed by */
};
enum { CALL_ARGUMENTS_MAX = 16 };

struct call {
    char name[200]; /* as the declaration has it, qualified */
    char returns[96];
    struct parameter arguments[CALL_ARGUMENTS_MAX];
    size_t count;
    bool by_type;    /* the types and places of parameters decide, too */
    bool row_by_row; /* said: never several rows in a call */
    unsigned lanes;  /* of a function of a vector (__m256); 1: of a number; 0: of pointers */
    bool value;      /* what it returns is the result */
    bool in_place;
    bool integers;     /* its results are integers */
    bool in_double;    /* its rows are of double */
    unsigned operands; /* parts of an input row */
};

/* The properties of an operation by which the roles of parameters are settled. */
struct call_op {
    const char *name;
    bool elementwise; /* it has a result per element; else `columns` results per row */
    unsigned columns;
    bool gamma, beta, eps, scale, mean, variance, rstd;
    bool own;                     /* its reference is the user's */
    const struct call *reference; /* that one, settled; NULL: this call is the reference */
    bool steps;                   /* errors are counted in steps, so that integers may be results */
};

/* Reads a declaration such as `void f(const float *x, float *y, int n) per row`. EXIT_USAGE where
 * it is none. by_type: it is the compiler's, so that types and places of parameters may decide
 * where their names say nothing. */
int call_parse(struct call *, const char *declaration, bool by_type, struct error *);
/* Settles the role of every parameter. EXIT_BAD_INPUT, with how to say it, where that cannot be
 * decided, and where the function takes or returns what the lab does not give. */
int call_settle(struct call *, const struct call_op *, struct error *);
/* Prints the declaration, with the names of the roles. */
void call_print(const struct call *, FILE *);
/* Writes what stands for a parameter: "the row", "1e-05". */
void call_filling(const struct call *, const struct parameter *, char *text, size_t size);
const struct parameter *call_argument(const struct call *, enum role);
/* Returns the bytes of the vector that the function takes, or of its number; 0: it takes rows. */
size_t call_vector_bytes(const struct call *);
/* Returns the type of the results: what it returns, the array that it writes, or x in place. */
const char *call_result(const struct call *);
/* Returns the type of an array's elements, or of a number, without const: "float"; of a struct and
 * of a pointer to pointers that, too. */
void call_element(const char *type, char *element, size_t size);
/* Returns whether an element's name is one that the lab knows; others are checked where they are
 * compiled. */
bool call_knows(const char *element);
/* Returns what the function's rows are of: "float" or "double". */
const char *call_real(const struct call *);

#endif
