// SPDX-License-Identifier: MIT
/* Compensated summation under every build: where a policy allows regrouping, the error terms
 * vanish. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"

enum { ROWS = 128, N = 1000, OUTPUTS = 2 };

/* The largest error over the rows, in u = 2^-24 of the sum. */
struct found {
    double plain, compensated;
};

struct study {
    float *x;
    double *exact;
    struct case_variants variants;
    struct found *found;
};

/* Computes the largest errors of one variant's sums. */
static void twosum_measure(const void *context, const struct variant *v, void *result)
{
    const struct study *s = context;
    float *y = case_alloc(ROWS * OUTPUTS * sizeof *y);
    const struct job job = {
        .rows = ROWS, .n = N, .x = s->x, .x_stride = N, .y = y, .y_stride = OUTPUTS};
    struct found f = {0, 0};
    case_call(v, &job);
    for (size_t r = 0; r < ROWS; r++) {
        double unit = fabs(s->exact[r]) * 0x1p-24;
        f.plain = fmax(f.plain, fabs((double)y[OUTPUTS * r] - s->exact[r]) / unit);
        f.compensated = fmax(f.compensated, fabs((double)y[OUTPUTS * r + 1] - s->exact[r]) / unit);
    }
    free(y);
    *(struct found *)result = f;
}

static bool regroups(const struct variant *v)
{
    return !strcmp(v->policy, "reassoc") || !strcmp(v->policy, "fastmath");
}

static bool twosum_same_found(const void *context, size_t a, size_t b)
{
    const struct study *s = context;
    return s->found[a].plain == s->found[b].plain &&
           s->found[a].compensated == s->found[b].compensated &&
           s->variants.items[a]->build->counts.add == s->variants.items[b]->build->counts.add;
}

static void twosum_show(const struct study *s, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler",        "isa=ISA",
                                          "policies=policies",  "add=additions in the code",
                                          "plain=plain sum, u", "compensated=compensated sum, u"};
    json_t *rows =
        case_table(r, "Largest error of 128 sums of 1000 elements 1e4 + N(0,1), in u of the sum",
                   columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->variants.count; i++) {
        const struct variant *v = s->variants.items[i];
        char policies[100] = "";
        json_t *row = case_row(r, v, s->found[i].compensated > 1.5);
        json_object_set_new(row, "additions", json_integer(v->build->counts.add));
        json_object_set_new(row, "plain_u", json_real(s->found[i].plain));
        json_object_set_new(row, "compensated_u", json_real(s->found[i].compensated));
        if (!case_policies_alike(&s->variants, i, twosum_same_found, s, policies, sizeof policies))
            continue;
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, s:f, s:f}", "cc", v->cc, "isa",
                                              v->isa, "policies", policies, "add",
                                              (int)v->build->counts.add, "plain", s->found[i].plain,
                                              "compensated", s->found[i].compensated));
    }
}

static void twosum_judge(const struct study *s, struct case_result *r)
{
    double kept = 0, lost = INFINITY;
    for (size_t i = 0; i < s->variants.count; i++) {
        const struct variant *v = s->variants.items[i];
        if (regroups(v))
            lost = fmin(lost, s->found[i].compensated);
        else
            kept = fmax(kept, s->found[i].compensated);
    }
    case_check_number(r, "compensated, without regrouping: largest error in u", kept, 0, 1.01);
    case_check_number(r, "compensated, reassoc and fastmath: least of the builds' errors in u",
                      lost, 1.5, INFINITY);
}

static void run(const struct case_context *c, struct case_result *r)
{
    struct study s = {.x = case_inputs(FAMILY_OFFSET, DOMAIN_MOMENTS, c->seed, ROWS, N),
                      .exact = case_alloc(ROWS * sizeof *s.exact),
                      .variants = case_variants(c, "litmus", "twosum", NULL)};
    size_t regrouping = 0, strict = 0;
    for (size_t i = 0; i < ROWS; i++) {
        long double sum = 0;
        for (size_t k = 0; k < N; k++) sum += (long double)s.x[i * N + k];
        s.exact[i] = (double)sum;
    }
    s.found = case_measure(&s.variants, sizeof *s.found, twosum_measure, &s);
    for (size_t i = 0; i < s.variants.count; i++) {
        regrouping += regroups(s.variants.items[i]);
        strict += !strcmp(s.variants.items[i]->policy, "off");
    }
    if (!regrouping || !strict) {
        case_skip(r, "needs litmus/twosum under off and under reassoc or fastmath");
    } else {
        twosum_show(&s, r);
        twosum_judge(&s, r);
        case_price(r, "none: what the flag saves is what the result was for");
    }
    case_variants_free(&s.variants);
    free(s.found);
    free(s.exact);
    free(s.x);
}

const struct case_study case_twosum_vanishes = {
    .name = "twosum-vanishes",
    .title = "-ffast-math deletes the error terms of a compensated sum, in intrinsics too",
    .reported = "Kahan and TwoSum summation give the plain sum under -ffast-math, or under "
                "-fassociative-math alone; writing it in intrinsics does not help.",
    .mechanism = "In real arithmetic (a - (s - (s - a))) + (b - (s - a)) is 0, and a compiler that "
                 "may regroup makes it that.",
    .remedy = "No -fassociative-math in that file, or barriers on the sums.",
    .run = run,
};
