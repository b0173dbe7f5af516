// SPDX-License-Identifier: MIT
/* One source under a policy that changes nothing gives other bits on AVX2 than on AVX-512: a sum
 * over 8 lanes adds in another order than one over 16. */
#include <math.h>
#include <string.h>

#include "cases/case.h"
#include "measure/distance.h"

enum { ROWS = 512, N = 1000 };

static const char *const isas[] = {"scalar", "avx2", "avx512"};
static const char *const algorithms[] = {"twopass", "cascade", "invariant"};
enum { ISAS = sizeof isas / sizeof *isas, ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* (mean, variance) of each row. */
typedef float moments[ROWS][2];

struct pair {
    size_t count;
    double share, largest;
};

static struct pair order_compare(struct case_result *r, json_t *table, const struct variant *a,
                                 const struct variant *b, const float *x)
{
    moments ya, yb;
    struct pair p = {.count = 1};
    size_t different = 0;
    case_call(a, case_job(ROWS, N, x, ya, 2));
    case_call(b, case_job(ROWS, N, x, yb, 2));
    for (size_t i = 0; i < ROWS; i++) {
        different += memcmp(ya[i], yb[i], sizeof ya[i][0]) != 0;
        p.largest = case_larger(p.largest, fabs((double)ya[i][0] - (double)yb[i][0]));
    }
    p.share = (double)different / ROWS;
    case_line(table, "ssssooff", a->algorithm, a->cc, a->policy, b->isa,
              json_sprintf("%u, %u", a->kernel->lanes, b->kernel->lanes),
              json_sprintf("%u ymm, %u zmm; %u ymm, %u zmm", a->build->counts.ymm,
                           a->build->counts.zmm, b->build->counts.ymm, b->build->counts.zmm),
              p.share, p.largest);
    json_object_update_new(case_row(r, b, false),
                           json_pack("{s:s, s:s, s:f}", "algorithm", a->algorithm, "against",
                                     a->isa, "means_that_differ", p.share));
    return p;
}

/* Compares every pair of ISAs of one algorithm, by one compiler, under `off`. */
static struct pair compare_isas(const struct case_context *c, struct case_result *r, json_t *table,
                                const char *algorithm, const float *x)
{
    struct case_variants v = case_variants(c, "moments", algorithm, "f32");
    struct pair sum = {0, 1, 0};
    for (size_t a = 0; a < ISAS; a++)
        for (size_t b = a + 1; b < ISAS; b++) {
            const struct variant *first = case_pick(&v, isas[a], NULL, "off");
            const struct variant *second = first ? case_pick(&v, isas[b], first->cc, "off") : NULL;
            if (!second) continue;
            struct pair p = order_compare(r, table, first, second, x);
            sum.count++;
            sum.share = fmin(sum.share, p.share);
            sum.largest = case_larger(sum.largest, p.largest);
        }
    return sum;
}

/* The price of one order on every ISA, on the widest one: against the order that suits the ISA. */
static void order_price(const struct case_context *c, struct case_result *r, const float *x)
{
    enum { IN_CACHE = 8 };
    struct case_variants a = case_variants(c, "moments", "invariant", "f32");
    struct case_variants b = case_variants(c, "moments", "twopass", "f32");
    const struct variant *fixed = NULL;
    for (size_t i = 0; i < a.count; i++)
        if (case_is_off(a.items[i])) fixed = a.items[i];
    const struct variant *free_order = fixed ? case_pick(&b, fixed->isa, fixed->cc, "off") : NULL;
    moments y;
    if (!free_order) return;
    struct case_ratio t = case_ratio(c, fixed, free_order, case_job(IN_CACHE, N, x, y, 2));
    case_price(r,
               "moments/invariant takes %.3f times [%.3f, %.3f] as long as moments/twopass "
               "(%s, %s, off, 8x%d)",
               t.ratio, t.low, t.high, fixed->cc, fixed->isa, N);
}

static void run(const struct case_context *c, struct case_result *r)
{
    float *x = case_inputs(FAMILY_NORMAL, DOMAIN_MOMENTS, c->seed, ROWS, N);
    json_t *table =
        case_table(r, "Means of 512 rows of 1000 standard normals", "algorithm=moments",
                   "cc=compiler", "policy=policy", "isas=against", "lanes=lanes",
                   "code=machine code", "share=means that differ", "largest=by at most", NULL);
    size_t compared = 0;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        struct pair p = compare_isas(c, r, table, algorithms[i], x);
        bool fixed = !strcmp(algorithms[i], "invariant");
        compared += p.count;
        if (p.count)
            case_check_number(r, fixed ? p.share + p.largest : p.share, fixed ? 0 : 0.1,
                              fixed ? 0 : 1, "moments/%s: means that differ between ISAs (share)",
                              algorithms[i]);
    }
    if (!compared)
        case_skip(r, "no moments kernel can run on two ISAs here, under off and by one compiler");
    order_price(c, r, x);
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
