// SPDX-License-Identifier: MIT
/* The results of one variant on one block that nobody may have (docs/method.md, "Wrong results"),
 * in the unit in which its operation is judged: ULP, or u of the inputs where results may come near
 * zero; and how they stand beside another variant's results of the same inputs. */
#ifndef ULPLAB_FAULTS_H
#define ULPLAB_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"
#include "oracle/f64.h"
#include "oracle/oracle.h"

/* A result: its row, and its index among the row's results. */
struct fault_at {
    size_t row, index;
};

struct faults {
    uint64_t compared; /* results that have an error, and a finite exact value other than zero */
    uint64_t wrong;    /* lost, of wrong sign, or as far off as a zero would be */
    uint64_t lost;     /* of these, those that have no error */
    uint64_t answered; /* of these, numbers where NaN is right, NaN being among the inputs */
    uint64_t flushed;  /* zeros where subnormal numbers are right */
    struct fault_at wrong_at; /* the first that is wrong and not just answered, else the first */
    double error, sum;        /* the largest of those that have one, and all of them */
    uint64_t measured;
    uint64_t numbers; /* a hash of the results, every NaN being the same */
    /* Beside another variant. */
    uint64_t its_wrong;                    /* wrong here and right there */
    uint64_t nan, inf, zero;               /* NaN (infinite, zero) in one of the two alone */
    uint64_t payloads;                     /* NaN in both, of other sign or payload */
    struct fault_at beside_at, payload_at; /* the first of all but these, the first of these */
    double here, there;                    /* largest errors of both, where the other is accurate */
    double here_sum, there_sum;
    uint64_t accurate; /* results of which these are */
};

/* The results of a row, which a variant and another one gave. */
struct faults_row {
    const struct oracle *op;
    const struct dtype *type; /* of the results */
    const void *x;            /* [n], doubles where the type is f64, else floats */
    size_t n;
    const void *got, *other;          /* [count], as x; other: NULL where there is none */
    const double *want;               /* [count] */
    const struct f64_value *want_f64; /* [count], in its place where the type is f64 */
    size_t count;
    double floor;         /* of the input-scaled error */
    const double *floors; /* [count], of each result alone, or NULL */
    size_t row, index;
};

void faults_add(struct faults *f, const struct faults_row *r);
/* Adds those of later rows. */
void faults_merge(struct faults *f, const struct faults *later);
/* Returns the mean error; infinite where results are lost that are not just answered, NAN where
 * there are none. */
double faults_mean(const struct faults *f);

#endif
