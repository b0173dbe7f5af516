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

/* Adds one figure of the verdict: the expectation, in words, and the measured value, whose
 * reference this takes over. */
void case_check(struct case_result *, const char *what, const char *expected, json_t *measured,
                bool holds);
/* Expects a number from low to high, both included; if low = high, exactly that number. */
void case_check_number(struct case_result *, const char *what, double measured, double low,
                       double high);

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

/* Adds a table to the report. Each of the `count` columns is "key=label". Returns the table's rows,
 * borrowed: the case appends objects with those keys. Numbers are printed with four digits, strings
 * as they are. */
json_t *case_table(struct case_result *, const char *caption, const char *const *columns,
                   size_t count);

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
/* dtype NULL: any. Exits the process if there is no memory. */
struct case_variants case_variants(const struct case_context *, const char *op,
                                   const char *algorithm, const char *dtype);
void case_variants_free(struct case_variants *);
/* The first variant of an ISA, compiler and policy (NULL: any), or NULL. */
const struct variant *case_pick(const struct case_variants *, const char *isa, const char *cc,
                                const char *policy);

/* Helps tables with one line per finding. Writes the policies under which the compiler and ISA of
 * items[i] give the same finding, according to same(context, i, k): "fast, default". Returns false
 * if an earlier variant has the same finding, so that its line already names this policy. */
bool case_policies_alike(const struct case_variants *, size_t i,
                         bool (*same)(const void *context, size_t a, size_t b), const void *context,
                         char *policies, size_t size);

/* Returns an array with the result of measure(context, variant, result), `size` bytes, for each
 * variant; equal machine code is measured once. Several threads measure, each with room of its
 * own. For free(). */
void *case_measure(const struct case_variants *, size_t size,
                   void (*measure)(const void *context, const struct variant *, void *result),
                   const void *context);

/* ---- Litmus objects (src/cases/case_litmus.c) ------------------------------------------------ */

/* The path of what scripts/litmus.mk built into BUILD/litmus/CC/ for cases to load: dot-gnu11.so,
 * .. False if it is not there, or its compiler refused it. */
bool case_litmus_path(const char *cc, const char *name, char *path, size_t size);
/* Counts the instructions of an object. Exits the process if it cannot be read. */
struct code_counts case_litmus_counts(const char *path);
/* The major version of a compiler of this build: 12. */
int case_cc_major(const char *cc);
bool case_cc_is(const char *cc, const char *family); /* gcc, clang */

/* ---- Calling and timing (src/cases/case.c) --------------------------------------------------- */

/* Returns 64-byte aligned and zeroed memory, for free(). Exits the process if there is none. */
void *case_alloc(size_t bytes);
/* Rows 0 .. rows - 1 of an input family, n floats each, for free(). */
float *case_inputs(enum family, enum domain, uint64_t seed, size_t rows, size_t n);
/* Runs the kernel with the default MXCSR. Exits the process if the kernel leaves modes changed. */
void case_call(const struct variant *, const struct job *);

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
struct case_ratio case_ratio(const struct case_context *, const struct variant *a,
                             const struct job *job_a, const struct variant *b,
                             const struct job *job_b);

#endif
