/* The types of `ulplab policy`. The stages build on them in this order: flags, facts (with bits),
 * figures, decide; then write or emit. policy.h runs the stages. */
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

/* What a policy gives up, as its litmus observed. */
enum given_up { GIVES_ORDER, GIVES_NAN, GIVES_SUBNORMALS, GIVEN_UP_COUNT };

/* Constraints on kernels. A policy is allowed if every operation has a kernel that meets them.
 * Where any is given, figures are over the kernels that meet them under every policy that is safe
 * and has such kernels. */
struct policy_constraints {
    double max_ulp; /* the bar of advice (analyse/summary.h), in error_unit(); NAN: none */
    bool bar_given; /* else an operation that no policy keeps within the bar is not counted */
    bool require[OVER_COUNT];
    bool no_broken_cases; /* of the policy as a whole */
};
/* "isa-stable", "cc-stable", "tail-stable", "thread-stable", "invariant" (all of them).
 * EXIT_USAGE for another word. */
int policy_require(struct policy_constraints *constraints, const char *word, struct error *e);

/* time(off) over time, over the cells that every policy of the compiler has (policy_speed.sql):
 * above 1 is faster. NAN where nothing was timed beside off. */
struct speed {
    double ratio, low, high;
    size_t cells, same_code;   /* cells, and of these with the machine code of off */
    size_t kernels, unchanged; /* kernels of one ISA in the figure; those that no policy changes */
    size_t operations;         /* which weigh the same */
    size_t left_out;           /* cells of which the processes are divided (measure/modes.h) */
};

/* error(policy) over error(off), kernel by kernel, over the cells that every policy of the compiler
 * has (policy_error.sql). NAN where no accuracy was measured. */
struct error_change {
    double mean, worst; /* geometric mean over kernels; the largest */
    char kernel[120];   /* of the largest: "softmax/online avx2" */
    double its, of_off; /* its errors, in `unit` */
    char unit[4];
    size_t kernels, changed; /* of one ISA; of these whose bits are not those of off */
    size_t lost, losing;     /* results that off computes and the policy does not; in how many */
    size_t broken;           /* kernels that break a promise */
};

/* One kernel under one compiler and policy, over its ISAs. */
struct policy_kernel {
    char op[24], algorithm[40], dtype[16];
    double advised; /* what the bar judges (struct summary), over its ISAs */
    enum stability stable[OVER_COUNT];
    bool hazard;
    bool fits; /* no hazard, and meets the constraints */
};

/* What a policy does to one operation. */
struct policy_effect {
    char op[24], cc[40], policy[40];
    struct speed speed;
    struct error_change error;
};

struct policy_row {
    char cc[40], policy[40];
    char flags[200];    /* what the policy adds to the command line; "" for nothing */
    char same_code[40]; /* the first policy of the compiler with the same code in every cell */
    char same_bits[40]; /* the first one with the same bits; "" without accuracy */
    struct speed speed;
    double overall; /* relative to `off` of the first compiler, over the cells that all
                       compilers have under all policies */
    struct error_change error;
    double max_ulp, mean_ulp; /* over the operations with errors in ulp; INFINITY where results were
                                 lost. They are those of the kernels, and say little of a policy */
    json_t *cases_broken;     /* names, owned */
    struct policy_kernel *kernels; /* owned, in the order of the records */
    size_t kernel_count;
    enum stability stable[OVER_COUNT]; /* of all kernels that fit */
    size_t stable_kernels[OVER_COUNT], known_kernels[OVER_COUNT];
    char lacks[24]; /* an operation without a kernel that meets the constraints, or "" */
    bool safe;      /* does not reassociate, keeps NaN and subnormals: observed by the litmus */
    bool contracts, gives_up[GIVEN_UP_COUNT];
    bool pareto;         /* nothing is faster (overall) and as accurate, or as fast and better */
    bool allowed;        /* safe, no promise broken, meets the constraints */
    char objection[160]; /* why not allowed, else "" */
    char verdict[300];
};

struct policies {
    const struct results *results; /* borrowed */
    const char *folder;
    struct policy_row *rows; /* by compiler, then policy in the usual order */
    size_t count;
    struct policy_effect *effects; /* owned */
    size_t effect_count;
    struct identical identical; /* how far two timings of the same code are apart */
    char ops[400];              /* operations with errors in ulp */
    bool cases_known;           /* the folder has cases.jsonl */
    bool constrained;
    double bar;                           /* of advice; NAN: none */
    struct losses losses;                 /* what policies lose that `off` computes */
    const struct policy_row *recommended; /* NULL: none is allowed */
    char why[500];
};

/* The row of a compiler and policy, or NULL. */
struct policy_row *policy_find(const struct policies *p, const char *cc, const char *policy);
/* What the policy does to an operation, or NULL where that is not known. */
struct policy_effect *policy_effect_find(const struct policies *p, const char *op, const char *cc,
                                         const char *policy);
/* The row's kernel of these axes, or NULL. */
struct policy_kernel *policy_kernel_find(const struct policy_row *row, const struct axes *a);
/* Adds what one more kernel or pair says: stable only while all of them are. */
void stability_join(enum stability *sum, bool stable);
void policies_free(struct policies *p);

#endif
