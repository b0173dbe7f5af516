/* A case study: a failure that was reported somewhere, shown again by this lab's own kernels on
 * this CPU, with its mechanism, its remedy and what the remedy costs. One file of this folder is
 * one case: NAME.c defines `const struct case_study case_NAME`, and the Makefile finds it. A case
 * measures; what publishes its record knows nothing of it. */
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

/* How much a case may measure: some 0.5 s, 5 s, or what it takes. */
enum case_effort { CASE_QUICK, CASE_DEFAULT, CASE_FULL };

struct case_context {
    const struct registry *registry; /* what was asked for, and what cannot run here too */
    const struct cpu *cpu;
    uint64_t seed;
    enum case_effort effort;
};

struct case_result; /* what a case finds, below */

struct case_study {
    const char *name;      /* fma-softmax */
    const char *title;     /* one line */
    const char *reported;  /* what was seen, by whom, with the figures */
    const char *mechanism; /* one sentence */
    const char *remedy;
    /* In a child of its own, where a crash is the case's status. May use OpenMP. */
    void (*run)(const struct case_context *, struct case_result *);
};

/* ---- What a case finds (src/cases/case_result.c) --------------------------------------------- */

/* No variant that this needs can run here, or is in this build. Nothing after it counts. */
void case_skip(struct case_result *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One figure of the verdict: what was expected, in words, and what came out (taken over). */
void case_check(struct case_result *, const char *what, const char *expected, json_t *measured,
                bool holds);
/* A number from low to high, both included; low = high: that number. */
void case_check_number(struct case_result *, const char *what, double measured, double low,
                       double high);

/* What the remedy costs, in words and figures. */
void case_price(struct case_result *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A row of the record with the variant's isa, cc and policy, and `broken`: the result is wrong
 * under this build and right under `off`, which is what `ulplab policy` counts. What breaks under
 * every policy alike is the algorithm's fault: it is in a table, and `broken` is false. The case
 * adds its own fields to the object, which it borrows. */
json_t *case_row(struct case_result *, const struct variant *, bool broken);

/* A row that is about no variant; the case fills it. */
json_t *case_plain_row(struct case_result *);

/* A table for the report. columns: "key=label" each, `count` of them. Returns its rows, borrowed:
 * append objects with those keys; a number is printed with four digits, a string as it is. */
json_t *case_table(struct case_result *, const char *caption, const char *const *columns,
                   size_t count);

struct case_axes {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
};
/* A picture for the report. */
json_t *case_curves(struct case_result *, const struct case_axes *);
/* A line of it. Returns its points, borrowed. */
json_t *case_series(json_t *curves, const char *name);
/* Drops what is not finite, and on a logarithmic axis is not drawn when <= 0. */
void case_point(json_t *series, double x, double y);

/* ---- Which variants (src/cases/case_variants.c) ---------------------------------------------- */

/* Those of one algorithm that can run here, in the registry's order. Equal machine code gives equal
 * results: same[i] is the first variant with the code of items[i] (i itself where there is none),
 * so that a case measures it once and attributes it to all. */
struct case_variants {
    const struct variant **items;
    size_t *same;
    size_t count;
};
/* dtype NULL: any. Exits the child where there is no memory. */
struct case_variants case_variants(const struct case_context *, const char *op,
                                   const char *algorithm, const char *dtype);
void case_variants_free(struct case_variants *);
/* The one of an ISA, compiler and policy (NULL: any), or NULL. */
const struct variant *case_pick(const struct case_variants *, const char *isa, const char *cc,
                                const char *policy);

/* The policies of items[i]'s compiler and ISA under which `key` says the same, "fast, default";
 * false where an earlier variant has spoken for this one. For tables with a line per finding. */
bool case_alike(const struct case_variants *, size_t i,
                bool (*same)(const void *context, size_t a, size_t b), const void *context,
                char *policies, size_t size);

/* ---- Litmus objects (src/cases/case_litmus.c) ------------------------------------------------ */

/* What the Makefile built into BUILD/litmus/CC/ for cases to load: dot-gnu11.so, .. False where it
 * is not there, or its compiler refused it. */
bool case_litmus_path(const char *cc, const char *name, char *path, size_t size);
/* Instructions in it. Exits the child where it cannot be read. */
struct code_counts case_litmus_counts(const char *path);
/* The major version of a compiler of this build: 12. */
int case_cc_major(const char *cc);
bool case_cc_is(const char *cc, const char *family); /* gcc, clang */

/* ---- Calling and timing (src/cases/case_time.c) ---------------------------------------------- */

/* 64-byte aligned, zeroed, for free(). Exits the child where there is no memory. */
void *case_alloc(size_t bytes);
/* Runs the kernel with the default MXCSR. Exits the child where it leaves another. */
void case_call(const struct variant *, const struct job *);

/* The time of one over the time of another, in turns on one core, so that whatever slows the
 * machine slows both. */
struct case_ratio {
    double ratio, low, high; /* median of the pairs' ratios, with its 95% interval */
    double a_ns, b_ns;       /* medians of one call: compare them within this measurement alone */
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
