// SPDX-License-Identifier: MIT
/* How a user's function is called: a C declaration whose parameter names say what each parameter
 * is. `void f(const float *x, float *y, int n)` is called row by row; a function with
 * `rows` is called once for all of them.
 *
 * call_parse() reads a declaration; call_settle() decides the role of each parameter, by the
 * parameters that the operation has, and notes the evidence. */
#ifndef ULPLAB_CALL_H
#define ULPLAB_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum role {
    ROLE_X, /* the input row; without y: the row in place */
    ROLE_Y,
    ROLE_N,
    ROLE_BYTES, /* the length of a row in bytes, instead of n */
    ROLE_ROWS,
    ROLE_X_STRIDE, /* elements from a row of x to the next */
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
    ROLE_MASK, /* the active lanes, for a function of a vector */
    ROLE_ONE,  /* a parameter that is always 1, 0, NULL */
    ROLE_ZERO,
    ROLE_NULL,
    ROLE_VALUE, /* a parameter that is always what the declaration says: `int mode = 2` */
    ROLE_SPARE, /* an output array whose contents are ignored */
    ROLE_COUNT,
};
/* Returns the names of a role, separated by spaces; the first is the one to write. */
const char *role_names(enum role);

struct parameter {
    char type[96];
    char name[48];
    char value[48]; /* the text behind `=`, or "" */
    enum role role;
    bool weak;       /* its name alone does not decide: b, w, g, m, c, k */
    const char *why; /* the evidence for its role */
};
enum { CALL_ARGUMENTS_MAX = 16 };

struct call {
    char name[200]; /* as the declaration has it, qualified */
    char returns[96];
    struct parameter arguments[CALL_ARGUMENTS_MAX];
    size_t count;
    bool by_type;    /* types and places of parameters decide their roles, too */
    bool row_by_row; /* the declaration says "per row" */
    unsigned lanes;  /* of x, if it is a vector such as __m256; 1: a number; 0: a row */
    bool value;      /* its return value is the result */
    bool in_place;
    bool integers;     /* its results are integers */
    bool in_double;    /* its rows are of double */
    unsigned operands; /* the number of parts that an input row is cut into */
};

/* The parameters and results of an operation. */
struct call_op {
    const char *name;
    bool elementwise; /* it has a result per element; else `columns` results per row */
    unsigned columns;
    bool gamma, beta, eps, scale, mean, variance, rstd;
    bool own;                     /* the reference is the user's */
    const struct call *reference; /* the user's, settled; NULL: this call is the reference */
    bool steps;                   /* errors are counted in steps, so that integers may be results */
};

/* Reads a declaration such as `void f(const float *x, float *y, int n) per row`. EXIT_USAGE if it
 * is none. by_type: it is the compiler's, so that types and places of parameters decide if their
 * names say nothing. */
int call_parse(struct call *, const char *declaration, bool by_type, struct error *);
/* Settles the role of every parameter. EXIT_BAD_INPUT, with a declaration that would do, if a role
 * cannot be decided, or if the lab cannot call the function. */
int call_settle(struct call *, const struct call_op *, struct error *);
/* Prints the declaration, with the names of the roles. */
void call_print(const struct call *, FILE *);
/* Writes which value a parameter gets, in words: "the results", "1e-5". */
void call_filling(const struct call *, const struct parameter *, char *text, size_t size);
const struct parameter *call_argument(const struct call *, enum role);
/* Returns the bytes of the vector that the function takes, or of its number; 0: it takes rows. */
size_t call_vector_bytes(const struct call *);
/* Returns the type of the results: what it returns, the array that it writes, or x in place. */
const char *call_result(const struct call *);
/* Writes the type of an array's elements, or of a number, without const: "float", "float *". */
void call_element(const char *type, char *element, size_t size);
/* Returns whether the lab knows a type's name; others are checked by the compiler. */
bool call_knows(const char *element);
/* Returns the type of the rows' elements: "float" or "double". */
const char *call_real(const struct call *);

#endif
