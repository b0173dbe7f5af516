// SPDX-License-Identifier: MIT
/* A case study: a failure that was reported somewhere, reproduced by this lab's own kernels on this
 * CPU, with its mechanism, its remedy and the remedy's cost. Each case is one file of this folder:
 * NAME.c defines `const struct case_study case_NAME`, and scripts/lab.mk finds it. A case measures;
 * the code that publishes its record does not depend on it. Files named case* are shared by
 * cases. */
#ifndef ULPLAB_CASE_H
#define ULPLAB_CASE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/cpu.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/inputs.h"

/* The effort of a case: about 0.5 s, about 5 s, or no limit. */
enum case_effort { CASE_QUICK, CASE_DEFAULT, CASE_FULL };

struct case_context {
    const struct registry *registry; /* the variants that were chosen, runnable or not */
    const struct cpu *cpu;
    uint64_t seed;
    enum case_effort effort;
};

struct case_result; /* the findings of a case, below */

struct case_study {
    const char *name;      /* fma-softmax */
    const char *title;     /* one line */
    const char *reported;  /* the observation, its reporter, and the figures */
    const char *mechanism; /* one sentence */
    const char *remedy;
    /* Runs in a process of its own, whose crash is the status of the case. May use OpenMP. */
    void (*run)(const struct case_context *, struct case_result *);
};

/* ---- What a case finds (src/cases/case_run.c) ------------------------------------------------ */

/* The case cannot be shown: no variant that it needs is in this build or can run here. What is
 * added afterwards does not count. */
void case_skip(struct case_result *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds one figure of the verdict: the expectation, in words, the measured value, whose reference
 * this takes over, and what it is. */
void case_check(struct case_result *, const char *expected, json_t *measured, bool holds,
                const char *what, ...) __attribute__((format(printf, 5, 6)));
/* Expects a number from low to high, both included; if low = high, exactly that number. NaN is
 * never expected. */
void case_check_number(struct case_result *, double measured, double low, double high,
                       const char *what, ...) __attribute__((format(printf, 5, 6)));
/* Expects "yes" or "no". */
void case_check_yes(struct case_result *, bool measured, bool expected, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets the cost of the remedy, in words and figures. */
void case_price(struct case_result *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a row to the record with the variant's isa, cc and policy. `broken`: the result is wrong
 * under this build and right under `off`; `ulplab policy` counts these. A result that is wrong
 * under every policy is the algorithm's fault: it is shown in a table, and `broken` is false. The
 * case adds its own fields to the returned object, which is borrowed. */
json_t *case_row(struct case_result *, const struct variant *, bool broken);

/* Adds a row that belongs to no variant. The case fills the object returned, which is borrowed. */
json_t *case_plain_row(struct case_result *);

/* Adds a table to the report, and returns it, borrowed. Each column is "key=label"; NULL ends
 * them. */
#define case_table(result, caption, ...)                                                           \
    case_table_of(result, caption, (const char *const[]){__VA_ARGS__})
json_t *case_table_of(struct case_result *, const char *caption, const char *const *columns);
/* Adds a row, and returns it, borrowed. `kinds` has a letter for each column, and all but '-' have
 * an argument: s text, i int, n uint64_t, f double, o json_t *, whose reference this takes over; -
 * nothing. Numbers are printed with four digits, texts as they are. */
json_t *case_line(json_t *table, const char *kinds, ...);

struct case_axes {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
};
/* Adds a chart to the report. */
json_t *case_curves(struct case_result *, const struct case_axes *);
/* Adds a line to a chart. Returns its points, borrowed. */
json_t *case_series(json_t *curves, const char *name);
/* Adds a point to a line, unless it is not finite. A logarithmic axis does not show values <= 0. */
void case_point(json_t *series, double x, double y);

/* ---- Variants (src/cases/case.c) ------------------------------------------------------------- */

/* The variants of one algorithm that can run here, in the registry's order. Equal machine code
 * gives equal results: same[i] is the index of the first variant with the code of items[i], i
 * itself if there is none before it, so that a case measures each code once. */
struct case_variants {
    const struct variant **items;
    size_t *same;
    size_t count;
};
/* dtype NULL: any. The memory is the process's. */
struct case_variants case_variants(const struct case_context *, const char *op,
                                   const char *algorithm, const char *dtype);
/* The first variant of an ISA, compiler and policy (NULL: any), or NULL. */
const struct variant *case_pick(const struct case_variants *, const char *isa, const char *cc,
                                const char *policy);
bool case_is_off(const struct variant *); /* built under `off` */

/* Returns an array with the result of measure(context, variant, result), `size` bytes, for each
 * variant; equal machine code is measured once. Several threads measure, each with room of its
 * own. */
void *case_measure(const struct case_variants *, size_t size,
                   void (*measure)(const void *context, const struct variant *, void *result),
                   const void *context);

/* Helps tables with one line per finding. `results` is what case_measure() returned. Writes the
 * policies under which the compiler and ISA of items[i] give the same result: "fast, default".
 * Returns false if an earlier variant has the same result, so that its line already names this
 * policy. */
enum { CASE_POLICIES = 100 };
bool case_policies_alike(const struct case_variants *, size_t i, const void *results, size_t size,
                         char policies[CASE_POLICIES]);

/* ---- Litmus kernels and objects (src/cases/case_litmus.c) ------------------------------------ */

/* A figure of a litmus kernel: the keys of the table's column and of the record's field. */
struct case_figure {
    const char *key, *field;
    bool whole; /* a whole number */
};
/* The range of a figure over some builds of a kernel. */
struct case_prediction {
    const char *what;
    const char *family;   /* of the compiler, or NULL */
    const char *policies; /* "reassoc fastmath"; "!off": all others. `default` alone: that of
                             compilers that contract by default */
    bool vectors;         /* not the scalar builds */
    size_t figure;
    enum { LARGEST, LEAST } extreme; /* of the builds' figures is compared */
    double low, high;
    enum { IF_BUILT, NEEDED } needed; /* NEEDED: without such a build the kernel shows nothing */
};
/* A kernel of op litmus whose figures each build is shown by. */
struct case_kernel {
    const char *algorithm;
    const struct case_figure *figures;         /* ends with a NULL key */
    const struct case_prediction *predictions; /* ends with a NULL what */
    /* Writes a build's figures. */
    void (*measure)(const void *context, const struct variant *, void *figures);
    bool (*is_broken)(const double *figures);
};
/* Adds each build's row to the record, each finding's to the table, whose columns are algorithm,
 * cc, isa, policies or some of these and the figures, and checks the predictions. Returns false if
 * the builds of a prediction that is needed are not here. */
bool case_kernel_study(const struct case_context *, struct case_result *, json_t *table,
                       const struct case_kernel *, const void *context);

/* The path of what scripts/litmus.mk built into BUILD/litmus/CC/ for cases to load: dot-gnu11.so,
 * .. False if it is not there, or its compiler refused it. */
bool case_litmus_path(const char *cc, const char *name, char *path, size_t size);
/* Counts the instructions of an object. Exits the process if it cannot be read. */
struct code_counts case_litmus_counts(const char *path);
/* The major version of a compiler of this build: 12. */
int case_cc_major(const char *cc);
bool case_cc_is(const char *cc, const char *family); /* gcc, clang */

/* ---- Calling and timing (src/cases/case.c) --------------------------------------------------- */

/* Returns 64-byte aligned and zeroed memory. Exits the process if there is none. A case need not
 * free what it allocates but once: it ends with its process. */
void *case_alloc(size_t bytes);
/* Rows 0 .. rows - 1 of an input family, n floats each. */
float *case_inputs(enum family, enum domain, uint64_t seed, size_t rows, size_t n);
/* The larger of two numbers; NaN if one is NaN, which fmax() loses. */
double case_larger(double a, double b);

/* The job of rows that lie behind each other: n elements of x and `columns` of y. */
struct job case_job(size_t rows, size_t n, const void *x, void *y, size_t columns);
/* Runs the kernel with the default MXCSR, and with scratch. Exits the process if the kernel leaves
 * modes changed. */
void case_call(const struct variant *, struct job);

/* The time of one divided by the time of another, measured in turns on one core, so that whatever
 * slows the machine slows both. */
struct case_ratio {
    double ratio, low, high; /* median of the ratios of the pairs, with its 95% interval */
    double a_ns, b_ns;       /* medians of one call; comparable within this measurement alone */
    size_t pairs;
};
struct case_work {
    void (*call)(void *context);
    void *context;
};
struct case_ratio case_ratio_of_work(const struct case_context *, struct case_work a,
                                     struct case_work b);
/* Compares the times that two kernels take for one job. */
struct case_ratio case_ratio(const struct case_context *, const struct variant *a,
                             const struct variant *b, struct job);
/* Returns the text "1.234 [1.200, 1.300]" with so many digits; null if nothing was measured. */
json_t *case_ratio_text(const struct case_ratio *, int digits);

#endif
