// SPDX-License-Identifier: MIT
/* An element's value depends on its place in the row: constant rows, whose results have to be
 * equal, through kernels that compute their tail in another way than their body. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "study/litmus.h"

enum { VALUES = 1000 };

static const char *const algorithms[] = {"plaintail", "maskedtail"};
enum { PLAIN, MASKED, ALGORITHMS };

struct study {
    float *values;
    struct case_variants variants;
    double *split; /* by variant: share of rows whose elements differ */
};

/* Rows of two whole vectors and a tail of all lanes but one. */
static void tail_measure(const void *context, const struct variant *v, void *result)
{
    const struct study *s = context;
    size_t n = 3 * v->kernel->lanes - 1, split = 0;
    float *x = case_alloc(VALUES * n * sizeof *x), *y = case_alloc(VALUES * n * sizeof *y);
    for (size_t r = 0; r < VALUES; r++)
        for (size_t i = 0; i < n; i++) x[r * n + i] = s->values[r];
    const struct job job = {
        .rows = VALUES, .n = n, .x = x, .x_stride = n, .y = y, .y_stride = n, .scale = 0.7f};
    case_call(v, &job);
    for (size_t r = 0; r < VALUES; r++) {
        bool alike = true;
        for (size_t i = 1; i < n; i++) alike &= y[r * n + i] == y[r * n];
        split += !alike;
    }
    free(x);
    free(y);
    *(double *)result = (double)split / VALUES;
}

static bool tail_same_found(const void *context, size_t a, size_t b)
{
    const struct study *s = context;
    const struct code_counts *x = &s->variants.items[a]->build->counts;
    const struct code_counts *y = &s->variants.items[b]->build->counts;
    return s->split[a] == s->split[b] && x->fma == y->fma && x->mul == y->mul;
}

static void tail_show(const struct study *s, struct case_result *r, json_t *rows)
{
    for (size_t i = 0; i < s->variants.count; i++) {
        const struct variant *v = s->variants.items[i];
        const struct code_counts *code = &v->build->counts;
        char policies[100] = "";
        json_t *row = case_row(r, v, s->split[i] > 0);
        json_object_set_new(row, "algorithm", json_string(v->algorithm));
        json_object_set_new(row, "fma", json_integer(code->fma));
        json_object_set_new(row, "mul", json_integer(code->mul));
        json_object_set_new(row, "split", json_real(s->split[i]));
        if (!case_policies_alike(&s->variants, i, tail_same_found, s, policies, sizeof policies))
            continue;
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:f}", "algorithm",
                                              v->algorithm, "cc", v->cc, "isa", v->isa, "policies",
                                              policies, "fma", (int)code->fma, "mul",
                                              (int)code->mul, "split", s->split[i]));
    }
}

/* The extreme over the builds of a compiler family (NULL: any) and policy on vector ISAs, but for
 * the default of compilers that do not contract; NAN if there are none. */
static double extreme(const struct study *s, const char *family, const char *policy,
                      double (*of)(double, double))
{
    double value = NAN;
    for (size_t i = 0; i < s->variants.count; i++) {
        const struct variant *v = s->variants.items[i];
        if (!strcmp(v->isa, "scalar") || strcmp(v->policy, policy) != 0 ||
            (family && !case_cc_is(v->cc, family)) ||
            (!strcmp(policy, "default") && !default_fuses_expressions(v->cc)))
            continue;
        value = of(value, s->split[i]);
    }
    return value;
}

/* Returns whether there was something to check. */
static bool tail_check(struct case_result *r, const char *what, double measured, double low,
                       double high)
{
    if (!isnan(measured)) case_check_number(r, what, measured, low, high);
    return !isnan(measured);
}

/* Returns whether there was a build that has to break. */
static bool tail_judge(const struct study *s, struct case_result *r, size_t algorithm)
{
    if (algorithm == PLAIN) {
        tail_check(r, "plain tail, off: rows that are not alike (share)",
                   extreme(s, NULL, "off", fmax), 0, 0);
        tail_check(r, "plain tail, gcc's default", extreme(s, "gcc", "default", fmax), 0, 0);
        return tail_check(r, "plain tail, clang's default: least share",
                          extreme(s, "clang", "default", fmin), 0.1, 1);
    }
    tail_check(r, "masked tail, off", extreme(s, NULL, "off", fmax), 0, 0);
    tail_check(r, "masked tail, clang fast", extreme(s, "clang", "fast", fmax), 0, 0);
    return tail_check(r, "masked tail, gcc fast", extreme(s, "gcc", "fast", fmin), 0.1, 1);
}

static void run(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {"algorithm=kernel",
                                          "cc=compiler",
                                          "isa=ISA",
                                          "policies=policies",
                                          "fma=FMA",
                                          "mul=multiplications",
                                          "split=rows that are not alike"};
    struct study s = {.values = case_alloc(VALUES * sizeof *s.values)};
    bool shown = false;
    inputs_row(FAMILY_NORMAL, DOMAIN_EXPONENT, c->seed, 0, VALUES, s.values);
    json_t *rows = case_table(r, "1000 constant rows through y = 0.7 x + 1/3, by build", columns,
                              sizeof columns / sizeof *columns);
    for (size_t a = 0; a < ALGORITHMS; a++) {
        s.variants = case_variants(c, "litmus", algorithms[a], NULL);
        s.split = case_measure(&s.variants, sizeof *s.split, tail_measure, &s);
        tail_show(&s, r, rows);
        shown |= tail_judge(&s, r, a);
        free(s.split);
        case_variants_free(&s.variants);
    }
    if (!shown)
        case_skip(r, "no build here whose body and tail could differ: it needs clang's default, or "
                     "gcc's fast on AVX-512");
    case_price(r, "-ffp-contract=off: see fma-softmax; masks that blend behind whole operations "
                  "cost one instruction per row");
    free(s.values);
}

const struct case_study case_masked_tail = {
    .name = "masked-tail",
    .title = "An element's value depends on its place in the row",
    .reported = "The same x gives another y once it falls into the last, partial vector: results "
                "change with the row length, with padding, with batching.",
    .mechanism = "Body and tail contract differently: gcc never fuses masked AVX-512 operations, "
                 "clang's default never fuses intrinsics but does fuse the plain C of a tail.",
    .remedy = "-ffp-contract=off; or FMA written out in both; or a tail of whole operations behind "
              "which a mask blends.",
    .run = run,
};
