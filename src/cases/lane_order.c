// SPDX-License-Identifier: MIT
/* One source under a policy that changes nothing gives other bits on AVX2 than on AVX-512: a sum
 * over 8 lanes adds in another order than one over 16. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "measure/distance.h"

enum { ROWS = 512, N = 1000, OUTPUTS = 2 };

static const char *const isas[] = {"scalar", "avx2", "avx512"};
static const char *const algorithms[] = {"twopass", "cascade", "invariant"};
enum { ISAS = sizeof isas / sizeof *isas, ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* (mean, variance) of each row. */
static float *order_moments_of(const struct variant *v, const float *x, float *scratch)
{
    float *y = case_alloc(ROWS * OUTPUTS * sizeof *y);
    const struct job job = {.rows = ROWS,
                            .n = N,
                            .x = x,
                            .x_stride = N,
                            .y = y,
                            .y_stride = OUTPUTS,
                            .scratch = scratch};
    case_call(v, &job);
    return y;
}

static size_t differing_means(const float *a, const float *b)
{
    size_t count = 0;
    for (size_t r = 0; r < ROWS; r++)
        count += memcmp(&a[OUTPUTS * r], &b[OUTPUTS * r], sizeof *a) != 0;
    return count;
}

struct pair {
    size_t count;
    double share, largest;
};

static struct pair order_compare(struct case_result *r, json_t *table, const struct variant *a,
                                 const struct variant *b, const float *x, float *scratch)
{
    float *ya = order_moments_of(a, x, scratch), *yb = order_moments_of(b, x, scratch);
    struct pair p = {1, (double)differing_means(ya, yb) / ROWS, 0};
    for (size_t i = 0; i < ROWS; i++)
        p.largest = fmax(p.largest, fabs((double)ya[OUTPUTS * i] - (double)yb[OUTPUTS * i]));
    char lanes[24], width[64];
    snprintf(lanes, sizeof lanes, "%u, %u", a->kernel->lanes, b->kernel->lanes);
    snprintf(width, sizeof width, "%u ymm, %u zmm; %u ymm, %u zmm", a->build->counts.ymm,
             a->build->counts.zmm, b->build->counts.ymm, b->build->counts.zmm);
    json_array_append_new(table, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f}", "algorithm",
                                           a->algorithm, "cc", a->cc, "policy", a->policy, "isas",
                                           b->isa, "lanes", lanes, "code", width, "share", p.share,
                                           "largest", p.largest));
    json_t *row = case_row(r, b, false);
    json_object_set_new(row, "algorithm", json_string(a->algorithm));
    json_object_set_new(row, "against", json_string(a->isa));
    json_object_set_new(row, "means_that_differ", json_real(p.share));
    free(ya);
    free(yb);
    return p;
}

/* Compares every pair of ISAs of one algorithm, by one compiler, under `off`. */
static struct pair compare_isas(const struct case_context *c, struct case_result *r, json_t *table,
                                const char *algorithm, const float *x, float *scratch)
{
    struct case_variants v = case_variants(c, "moments", algorithm, "f32");
    struct pair sum = {0, 1, 0};
    for (size_t a = 0; a < ISAS; a++)
        for (size_t b = a + 1; b < ISAS; b++) {
            const struct variant *first = case_pick(&v, isas[a], NULL, "off");
            const struct variant *second = first ? case_pick(&v, isas[b], first->cc, "off") : NULL;
            if (!second) continue;
            struct pair p = order_compare(r, table, first, second, x, scratch);
            sum.count++;
            sum.share = fmin(sum.share, p.share);
            sum.largest = fmax(sum.largest, p.largest);
        }
    case_variants_free(&v);
    return sum;
}

/* The price of one order on every ISA, on the widest one: against the order that suits the ISA. */
static void order_price(const struct case_context *c, struct case_result *r, const float *x,
                        float *scratch)
{
    struct case_variants a = case_variants(c, "moments", "invariant", "f32");
    struct case_variants b = case_variants(c, "moments", "twopass", "f32");
    const struct variant *fixed = NULL;
    for (size_t i = 0; i < a.count; i++)
        if (!strcmp(a.items[i]->policy, "off")) fixed = a.items[i];
    const struct variant *free_order =
        fixed ? case_pick(&b, fixed->isa, fixed->cc, fixed->policy) : NULL;
    float y[OUTPUTS * 8];
    const struct job job = {
        .rows = 8, .n = N, .x = x, .x_stride = N, .y = y, .y_stride = OUTPUTS, .scratch = scratch};
    if (free_order) {
        struct case_ratio t = case_ratio(c, fixed, &job, free_order, &job);
        case_price(r,
                   "moments/invariant takes %.3f times [%.3f, %.3f] as long as moments/twopass "
                   "(%s, %s, off, 8x%d)",
                   t.ratio, t.low, t.high, fixed->cc, fixed->isa, N);
    }
    case_variants_free(&a);
    case_variants_free(&b);
}

static void run(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {
        "algorithm=moments", "cc=compiler",       "policy=policy",           "isas=against",
        "lanes=lanes",       "code=machine code", "share=means that differ", "largest=by at most"};
    float *x = case_inputs(FAMILY_NORMAL, DOMAIN_MOMENTS, c->seed, ROWS, N);
    float *scratch = case_alloc((2 * N + 256) * sizeof *scratch);
    json_t *table = case_table(r, "Means of 512 rows of 1000 standard normals", columns,
                               sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ALGORITHMS; i++) {
        struct pair p = compare_isas(c, r, table, algorithms[i], x, scratch);
        char what[80];
        snprintf(what, sizeof what, "moments/%s: means that differ between ISAs (share)",
                 algorithms[i]);
        if (!p.count) continue;
        if (!strcmp(algorithms[i], "invariant"))
            case_check_number(r, what, p.share + p.largest, 0, 0);
        else
            case_check_number(r, what, p.share, 0.1, 1);
    }
    if (!json_array_size(table))
        case_skip(r, "no moments kernel can run on two ISAs here, under off and by one compiler");
    order_price(c, r, x, scratch);
    free(x);
    free(scratch);
}

const struct case_study case_lane_order = {
    .name = "lane-order",
    .title = "The same source and policy give other bits on AVX2 and AVX-512",
    .reported = "Results change between machines of one fleet, or with ATEN_CPU_CAPABILITY, though "
                "compiler and flags are the same.",
    .mechanism = "A sum over 8 lanes adds in another order than one over 16, and every order "
                 "rounds differently.",
    .remedy = "A fixed virtual width and reduction tree on every ISA (moments/invariant).",
    .run = run,
};
