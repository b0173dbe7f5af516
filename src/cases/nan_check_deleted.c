// SPDX-License-Identifier: MIT
/* The number of the NaNs in a row that a check finds under every build. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"

enum { ROWS = 16, N = 203, EVERY = 7, EXPECTED = N / EVERY, OUTPUTS = 2 };

struct found {
    double vectors, expression; /* share of the NaNs found, over all rows */
};

struct study {
    float *x;
    struct case_variants variants;
    struct found *found;
};

/* Computes the share of the NaNs that one variant finds. */
static void nan_check_measure(const void *context, const struct variant *v, void *result)
{
    const struct study *s = context;
    float *y = case_alloc(ROWS * OUTPUTS * sizeof *y);
    const struct job job = {
        .rows = ROWS, .n = N, .x = s->x, .x_stride = N, .y = y, .y_stride = OUTPUTS};
    struct found f = {0, 0};
    case_call(v, &job);
    for (size_t r = 0; r < ROWS; r++) {
        f.vectors += (double)y[OUTPUTS * r] / (ROWS * EXPECTED);
        f.expression += (double)y[OUTPUTS * r + 1] / (ROWS * EXPECTED);
    }
    free(y);
    *(struct found *)result = f;
}

static bool nan_check_same_found(const void *context, size_t a, size_t b)
{
    const struct study *s = context;
    return !memcmp(&s->found[a], &s->found[b], sizeof *s->found) &&
           s->variants.items[a]->build->counts.compare ==
               s->variants.items[b]->build->counts.compare;
}

static void nan_check_show(const struct study *s, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler",
                                          "isa=ISA",
                                          "policies=policies",
                                          "compare=comparisons in the code",
                                          "vectors=found by intrinsics",
                                          "expression=found by x != x"};
    json_t *rows = case_table(r, "Share of the NaNs that are found", columns,
                              sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->variants.count; i++) {
        const struct variant *v = s->variants.items[i];
        char policies[100] = "";
        json_t *row = case_row(r, v, s->found[i].vectors < 1 || s->found[i].expression < 1);
        json_object_set_new(row, "comparisons", json_integer(v->build->counts.compare));
        json_object_set_new(row, "found_by_intrinsics", json_real(s->found[i].vectors));
        json_object_set_new(row, "found_by_expression", json_real(s->found[i].expression));
        if (!case_policies_alike(&s->variants, i, nan_check_same_found, s, policies,
                                 sizeof policies))
            continue;
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:s, s:i, s:f, s:f}", "cc", v->cc, "isa", v->isa,
                            "policies", policies, "compare", (int)v->build->counts.compare,
                            "vectors", s->found[i].vectors, "expression", s->found[i].expression));
    }
}

static void nan_check_judge(const struct study *s, struct case_result *r)
{
    struct found least = {1, 1}, most = {0, 0};
    double clang_vectors = NAN, gcc_vectors = NAN;
    for (size_t i = 0; i < s->variants.count; i++) {
        const struct variant *v = s->variants.items[i];
        const struct found *f = &s->found[i];
        if (strcmp(v->policy, "fastmath") != 0) {
            least.vectors = fmin(least.vectors, f->vectors);
            least.expression = fmin(least.expression, f->expression);
            continue;
        }
        most.expression = fmax(most.expression, f->expression);
        if (!strcmp(v->isa, "scalar")) continue;
        if (case_cc_is(v->cc, "clang")) clang_vectors = fmax(clang_vectors, f->vectors);
        if (case_cc_is(v->cc, "gcc"))
            gcc_vectors = isnan(gcc_vectors) ? f->vectors : fmin(gcc_vectors, f->vectors);
    }
    case_check_number(r, "every policy but fastmath: found by x != x", least.expression, 1, 1);
    case_check_number(r, "every policy but fastmath: found by intrinsics", least.vectors, 1, 1);
    case_check_number(r, "fastmath: found by x != x", most.expression, 0, 0);
    if (!isnan(gcc_vectors))
        case_check_number(r, "fastmath, gcc: found by intrinsics", gcc_vectors, 1, 1);
    if (!isnan(clang_vectors))
        case_check_number(r, "fastmath, clang: found by intrinsics", clang_vectors, 0, 0);
}

static void run(const struct case_context *c, struct case_result *r)
{
    struct study s = {.x = case_alloc(ROWS * N * sizeof *s.x),
                      .variants = case_variants(c, "litmus", "nancheck", NULL)};
    size_t fastmath = 0;
    for (size_t i = 0; i < ROWS * N; i++) s.x[i] = i % N % EVERY == EVERY - 1 ? NAN : 1;
    s.found = case_measure(&s.variants, sizeof *s.found, nan_check_measure, &s);
    for (size_t i = 0; i < s.variants.count; i++)
        fastmath += !strcmp(s.variants.items[i]->policy, "fastmath");
    if (!fastmath || fastmath == s.variants.count) {
        case_skip(r, "needs litmus/nancheck under fastmath and under another policy");
    } else {
        nan_check_show(&s, r);
        nan_check_judge(&s, r);
        case_price(r, "none worth naming: an unordered comparison per vector");
    }
    case_variants_free(&s.variants);
    free(s.found);
    free(s.x);
}

const struct case_study case_nan_check_deleted = {
    .name = "nan-check-deleted",
    .title = "-ffast-math deletes the check for NaN; clang deletes it in intrinsics too",
    .reported = "isnan(x) and x != x are constant false under -ffinite-math-only: inputs that were "
                "to be refused get through.",
    .mechanism = "Under -ffinite-math-only no value is a NaN, so that an unordered comparison of a "
                 "value with itself is known; gcc knows it of expressions, clang of intrinsics as "
                 "well.",
    .remedy = "-fno-finite-math-only behind -ffast-math, or a test of the bits.",
    .run = run,
};
