/* The types of `ulplab policy`. The stages build on them in this order: flags, facts (with bits and
 * speed), decide; then write or emit. policy.h runs the stages. */
#ifndef ULPLAB_POLICY_TYPES_H
#define ULPLAB_POLICY_TYPES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "publish/analyse/identical.h"
#include "publish/analyse/policy_losses.h"
#include "publish/load/results.h"

/* Are the bits of results equal over all values of an axis? */
enum stability { STABILITY_UNKNOWN, STABILITY_NO, STABILITY_YES };
enum stable_over { OVER_ISA, OVER_CC, OVER_TAIL, OVER_THREADS, OVER_COUNT };
const char *stable_over_name(enum stable_over over); /* "isa", "cc", "tail", "threads" */

/* Constraints that a kernel must meet to be counted. A policy is allowed if every operation has
 * such a kernel; its figures are over the kernels that are counted. */
struct policy_constraints {
    double max_ulp; /* the bar of advice (analyse/summary.h), in error_unit(); NAN: none */
    bool bar_given; /* else an operation that no policy keeps within the bar is not counted */
    bool require[OVER_COUNT];
    bool no_broken_cases; /* of the policy as a whole */
};
/* "isa-stable", "cc-stable", "tail-stable", "thread-stable", "invariant" (all of them).
 * EXIT_USAGE for another word. */
int policy_require(struct policy_constraints *constraints, const char *word, struct error *e);

struct speed {
    double ratio, low, high; /* of time(off) over time: above 1 is faster. NAN where not timed */
    size_t cells, left_out;  /* left_out: cells whose ratio is tied (measure/ratio.h) */
};

/* One kernel under one compiler and policy, over its ISAs. */
struct policy_kernel {
    char op[24], algorithm[40], dtype[16];
    double advised; /* what the bar judges (struct summary), over its ISAs */
    enum stability stable[OVER_COUNT];
    bool hazard;
    bool fits; /* no hazard, and meets the constraints */
};

/* Errors and times are over the kernels that fit; errors over family `normal`. */
struct policy_row {
    char cc[40], policy[40];
    char flags[200];          /* what the policy adds to the command line; "" for nothing */
    struct speed speed;       /* relative to `off` of the same compiler */
    double overall;           /* the same relative to `off` of the first compiler: comparable */
    double max_ulp, mean_ulp; /* INFINITY where results were lost */
    size_t wrong;             /* cells that break a promise of their kernel's file */
    json_t *cases_broken;     /* names, owned */
    struct policy_kernel *kernels; /* owned, in the order of the records */
    size_t kernel_count;
    enum stability stable[OVER_COUNT]; /* of all kernels that fit */
    size_t stable_kernels[OVER_COUNT], known_kernels[OVER_COUNT];
    bool safe; /* does not reassociate, keeps NaN and subnormals: observed by the litmus */
    bool contracts;
    char twin[40];       /* an earlier policy of the compiler with equal bits everywhere, or "" */
    bool pareto;         /* nothing is faster (overall) and as accurate, or as fast and better:
                             the largest error decides, the mean between equals */
    bool allowed;        /* safe, no promise broken, meets the constraints */
    char objection[160]; /* why not allowed, else "" */
    char verdict[300];
};

struct policies {
    const struct results *results; /* borrowed */
    const char *folder;
    struct policy_row *rows; /* by compiler, then policy in the usual order */
    size_t count;
    struct identical identical; /* how far two timings of the same code are apart */
    char ops[200];              /* those whose ULP counts */
    bool cases_known;           /* the folder has cases.jsonl */
    bool constrained;
    double bar;                           /* of advice; NAN: none */
    struct losses losses;                 /* what policies lose that `off` computes */
    const struct policy_row *recommended; /* NULL: none is allowed */
    char why[500];
};

/* The row of a compiler and policy, or NULL. */
struct policy_row *policy_find(const struct policies *p, const char *cc, const char *policy);
/* The row's kernel of these axes, or NULL. */
struct policy_kernel *policy_kernel_find(const struct policy_row *row, const struct axes *a);
/* Does the row count that kernel? */
bool policy_kernel_fits(const struct policy_row *row, const struct axes *a);
/* Adds what one more kernel or pair says: stable only while all of them are. */
void stability_join(enum stability *sum, bool stable);
void policies_free(struct policies *p);

#endif
