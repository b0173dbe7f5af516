// SPDX-License-Identifier: MIT
/* The errors of one variant's outputs on one block: the results on the stage, against the
 * oracle. */
#ifndef ULPLAB_SCORE_H
#define ULPLAB_SCORE_H

#include "base/error.h"
#include "measure/stage.h"
#include "oracle/bounds.h"
#include "oracle/f64.h"
#include "oracle/oracle.h"
#include "oracle/ulp.h"

/* The exact values of a block, per output: [rows, n] where elementwise, else [rows]. */
struct exact_block {
    void *want[OUTPUTS_MAX];     /* doubles; of a block in double, struct f64_value */
    double *floors[OUTPUTS_MAX]; /* one per result (struct oracle_row); NULL: none */
    struct oracle_row *facts;    /* [rows] */
    size_t beyond;               /* rows beyond the oracle: they are in no figure */
    size_t overflowing;          /* rows whose sum of squares overflows: they are in no promise */
};

/* Evaluates the oracle on the stage's input. */
void exact_open(struct exact_block *x, const struct oracle *op, const struct parameters *p,
                const struct stage *s);
void exact_close(struct exact_block *x);

/* Figures of one output (docs/contract.md, accuracy); NaN where there are no elements, infinite
 * where lost ones make them so. */
struct figures {
    struct ulp_stats stats;
    double p50, p99, p9999; /* percentiles of E */
    double scaled;          /* the largest input-scaled error */
};

struct place {
    bool known;
    size_t row, index; /* index: element of the row, or column */
    double input;      /* elementwise only; of a block in fp32, as `got`, a float */
    double got;
    double want; /* of a block in double, rounded to double */
};

/* A result: its row, and its index among the row's results. */
struct fault_at {
    size_t row, index;
};

/* The faults of one variant on one block (docs/method.md, "Wrong results"), in the unit that
 * applies to its operation: ULP, or u of the inputs where results may come near zero; and the
 * comparison with another variant's results for the same inputs. */
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
    /* Compared with another variant. */
    uint64_t its_wrong;                    /* wrong here and right there */
    uint64_t nan, inf, zero;               /* NaN (infinite, zero) in only one of the two */
    uint64_t payloads;                     /* NaN in both, of other sign or payload */
    struct fault_at beside_at, payload_at; /* the first of all but these, the first of these */
    double here, there;                    /* largest errors of both, where the other is accurate */
    double here_sum, there_sum;
    uint64_t accurate; /* results of which these are */
};
/* Returns the mean error; infinite where results are lost that are not just answered, NAN where
 * there are none. */
double faults_mean(const struct faults *f);
/* Adds the faults of one row in fp32 that is on no stage: x: [n]; y: its oracle_results(), widened;
 * type: that of y in memory. A row beyond the oracle, or whose squares overflow, has none. */
void faults_add_row(struct faults *f, const struct oracle *op, const struct dtype *type,
                    const struct parameters *p, const float *x, size_t n, const float *y);

struct score {
    uint64_t bits; /* stage_run()'s hash: equal for variants that agree bit for bit */
    bool mxcsr_kept;
    size_t beyond, overflowing; /* rows */
    /* The figures of the output per element if there is one, otherwise over all columns: a kernel
     * with a variance of 3 ulp and a mean of 1e3 ulp has 1e3. */
    struct figures all;
    struct figures output[OUTPUTS_MAX];
    struct place worst;
    struct bound_ratio bound;
    bool judged;     /* `faults` and `wrong` are known, which take longer than all else */
    bool has_beside; /* faults include the comparison with another variant's results */
    struct faults faults;
    struct place wrong, beside, payload; /* what the faults' places have; if any */
};

/* The outputs to score, which the stage holds. */
struct scoring {
    const struct oracle *op;
    const struct kernel *kernel;
    const struct parameters *parameters;
    const struct stage *stage;
    const struct exact_block *exact;
    bool judged; /* faults are looked for */
    const char
        *beside; /* another variant's results, [rows, columns] as the stage has them; or NULL */
};
/* Statistics are merged in the order of the chunks: the bits do not depend on the number of
 * threads. */
void score_outputs(struct score *score, const struct scoring *);

#endif
