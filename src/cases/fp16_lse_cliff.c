// SPDX-License-Identifier: MIT
/* logsumexp in half precision without a shift: sum_j exp(x_j) overflows from log(65504 / C) on for
 * C equal elements, and from one grid point to the next the result is infinite. Measured by sweeps,
 * as it was reported, beside the prediction. */
// kernels: softplus_halflimit
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "model/dtype.h"

enum { POINTS = 2000, C_MAX = 4096 };

/* Points from `from` to `to`, both included, rounded to fp32, as by numpy's linspace. */
struct sweep {
    double from, to;
    size_t points;
};
static const struct sweep reported_sweep = {-15, 15, POINTS};
static const struct sweep twin_sweep = {75, 105, POINTS}; /* the same step, where fp32 overflows */
static const struct sweep softplus_sweep = {10, 11.5, 1501};

static double cliff_step_of(const struct sweep *s)
{
    return (s->to - s->from) / (double)(s->points - 1);
}

static float point_of(const struct sweep *s, size_t i)
{
    return (float)(s->from + (double)i * cliff_step_of(s));
}

/* A row of n elements equal to x; with zero_behind, all but the first are 0: stack([x, 0]). */
struct form {
    const char *name, *key;
    size_t n;
    bool zero_behind;
};
static const struct form forms[] = {
    {"32 equal elements", "cliff_32", 32, false},
    {"stack([x, 0])", "cliff_stack", 2, true},
    {"1 element", "cliff_1", 1, false},
};
enum { C32, STACK, SINGLE, FORMS };

static double exact(const struct form *f, double x)
{
    return f->zero_behind ? fmax(x, 0) + log1p(exp(-fabs(x))) : x + log((double)f->n);
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

/* A kernel's input and output for each point: the element and its result. */
struct curve {
    const struct sweep *sweep;
    float *x, *y;
};

static void curve_free(struct curve *c)
{
    free(c->x);
    free(c->y);
}

static float *as_floats(const struct dtype *t, const void *from, size_t count)
{
    float *to = case_alloc(count * sizeof *to);
    t->widen(from, to, count);
    return to;
}

/* Rows of form f, one per point, as elements of t. *first: the first element of each row. */
static void *cliff_rows_of(const struct dtype *t, const struct sweep *s, const struct form *f,
                           float **first)
{
    unsigned char *rows = case_alloc(s->points * f->n * t->bytes);
    unsigned char *column = case_alloc(s->points * t->bytes);
    float row[C_MAX];
    for (size_t i = 0; i < s->points; i++) {
        for (size_t k = 0; k < f->n; k++) row[k] = f->zero_behind && k ? 0 : point_of(s, i);
        t->narrow(row, rows + i * f->n * t->bytes, f->n);
        memcpy(column + i * t->bytes, rows + i * f->n * t->bytes, t->bytes);
    }
    *first = as_floats(t, column, s->points);
    free(column);
    return rows;
}

static struct curve sweep_logsumexp(const struct variant *v, const struct sweep *s,
                                    const struct form *f)
{
    const struct dtype *t = dtype_of(v->kernel);
    struct curve c = {.sweep = s};
    void *x = cliff_rows_of(t, s, f, &c.x), *y = case_alloc(s->points * t->bytes);
    case_call(v, case_job(s->points, f->n, x, y, 1));
    c.y = as_floats(t, y, s->points);
    free(x);
    free(y);
    return c;
}

/* Runs all points in one row, since softplus is elementwise. */
static struct curve sweep_softplus(const struct variant *v, const struct sweep *s, float limit)
{
    const struct dtype *t = dtype_of(v->kernel);
    struct curve c = {.sweep = s};
    void *y = case_alloc(s->points * t->bytes);
    struct job job =
        case_job(1, s->points, cliff_rows_of(t, s, &forms[SINGLE], &c.x), y, s->points);
    job.operand = &limit;
    case_call(v, job);
    c.y = as_floats(t, y, s->points);
    return c;
}

/* Returns whether a result is broken: not finite, or off by more than 1, for the element that the
 * kernel was given. */
static bool cliff_is_broken(const struct curve *c, const struct form *f, size_t i)
{
    return !(fabs((double)c->y[i] - exact(f, (double)c->x[i])) <= 1);
}

static size_t first_broken(const struct curve *c, const struct form *f)
{
    size_t i = 0;
    while (i < c->sweep->points && !cliff_is_broken(c, f, i)) i++;
    return i;
}

/* The first broken point, as reports name it, before rounding to the format; NaN if nothing
 * breaks. */
static double cliff_of(const struct curve *c, const struct form *f)
{
    size_t i = first_broken(c, f);
    return i < c->sweep->points ? (double)point_of(c->sweep, i) : (double)NAN;
}

static double cliff_at(const struct variant *v, const struct sweep *s, const struct form *f)
{
    struct curve c = sweep_logsumexp(v, s, f);
    double cliff = cliff_of(&c, f);
    curve_free(&c);
    return cliff;
}

static json_t *point_text(double x)
{
    return isfinite(x) ? json_sprintf("%.4f", x) : json_string("none");
}

/* ---- The half kernels, on every ISA, by every compiler, under every policy ------------------- */

struct study {
    const struct case_context *context;
    struct case_result *result;
    struct case_variants naive, shifted, six, sequential, softplus;
    /* The kernels with which everything else is measured: on the widest ISA that runs here, under
     * `off` if it was built. */
    const struct variant *best_naive, *best_shifted;
};

static const struct variant *cliff_best_of(const struct case_variants *v)
{
    static const char *const isas[] = {"avx512fp16", "avx512", "avx2"};
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const struct variant *off = case_pick(v, isas[i], NULL, "off");
        if (off) return off;
    }
    return v->count ? v->items[0] : NULL;
}

/* Returns whether a variant gives other bits than the reference at any point of any form. */
static void find_different(const void *reference, const struct variant *v, void *differs)
{
    for (size_t k = 0; k < FORMS; k++) {
        struct curve want = sweep_logsumexp(reference, &reported_sweep, &forms[k]);
        struct curve got = sweep_logsumexp(v, &reported_sweep, &forms[k]);
        *(bool *)differs |= memcmp(got.y, want.y, POINTS * sizeof *got.y) != 0;
        curve_free(&got);
        curve_free(&want);
    }
}

/* Variants under a policy that promises nothing may lose infinities, by which this case goes: what
 * their compilers made of it is shown and not asked for. */
static void check_bits(struct study *s, const char *what, const struct case_variants *v,
                       const struct variant *reference)
{
    if (!v->count) return;
    const bool *differs = case_measure(v, sizeof *differs, find_different, reference);
    size_t different[2] = {0}, all[2] = {0};
    for (size_t i = 0; i < v->count; i++) {
        bool held = policy_promises(v->items[i]->policy) != PROMISES_NOTHING;
        all[held]++;
        different[held] += differs[i];
    }
    json_t *measured = different[0]
                           ? json_sprintf("%zu of %zu; of %zu whose policy promises nothing %zu",
                                          different[1], all[1], all[0], different[0])
                           : json_sprintf("%zu of %zu", different[1], all[1]);
    case_check(s->result, "none", measured, !different[1], "%s", what);
}

static void measure_cliffs(const void *context, const struct variant *v, void *cliffs)
{
    (void)context;
    for (size_t k = 0; k < FORMS; k++)
        ((double *)cliffs)[k] = cliff_at(v, &reported_sweep, &forms[k]);
}

/* Adds a row per variant to the record: where it breaks. */
static void add_variants(struct study *s)
{
    double(*cliffs)[FORMS] = case_measure(&s->naive, sizeof *cliffs, measure_cliffs, NULL);
    for (size_t i = 0; i < s->naive.count; i++) {
        json_t *row = case_row(s->result, s->naive.items[i], false);
        json_object_set_new(row, "algorithm", json_string(s->naive.items[i]->algorithm));
        for (size_t k = 0; k < FORMS; k++)
            json_object_set_new(row, forms[k].key, record_real(cliffs[i][k]));
    }
}

/* Adds a table of the ISAs that ran, and why others did not. */
static void add_isas(struct study *s)
{
    static const char *const isas[][2] = {
        {"avx2", "fp32 and a conversion (F16C) per operation"},
        {"avx512", "fp32 and a conversion per operation, 16 lanes"},
        {"avx512fp16", "native: vaddph, vsubph, vmaxph"}};
    json_t *table =
        case_table(s->result, "Where half arithmetic ran: logsumexp/halfnaive", "isa=ISA",
                   "arithmetic=half arithmetic", "ran=variants run", "reason=not run, since", NULL);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const struct registry *r = s->context->registry;
        int ran = 0;
        const char *reason = "not in this build, or filtered out";
        for (size_t k = 0; k < r->count; k++) {
            const struct variant *v = &r->variants[k];
            if (strcmp(v->algorithm, "halfnaive") || strcmp(v->isa, isas[i][0])) continue;
            ran += v->status == STATUS_OK;
            reason = v->reason;
        }
        case_line(table, "ssis", isas[i][0], isas[i][1], ran, ran ? "" : reason);
    }
}

/* Checks a point to the four decimals in which it was reported. */
static void check_point(struct study *s, const char *reported, double x, const char *what,
                        const char *of)
{
    json_t *measured = point_text(x);
    case_check(s->result, reported, measured, !strcmp(json_string_value(measured), reported),
               "%s%s: first broken x", what, of);
}

static void cliff_check_reported(struct study *s)
{
    static const char *const reported[FORMS] = {"7.6313", "11.0980", "11.0980"};
    for (size_t k = 0; k < FORMS; k++)
        check_point(s, reported[k], cliff_at(s->best_naive, &reported_sweep, &forms[k]),
                    "halfnaive, ", forms[k].name);
}

/* ---- The cliff's place for each C, and the twins --------------------------------------------- */

static const struct twin {
    const char *title, *algorithm, *dtype;
    const struct sweep *sweep;
} twins[] = {
    {"fp16", "halfnaive", "f16", &reported_sweep},
    {"fp32", "naive", "f32", &twin_sweep},
    {"bf16", "brainnaive", "bf16", &twin_sweep},
};
enum { TWINS = sizeof twins / sizeof *twins };

/* The first point whose nearest element is so large that exp(x) reaches the limit. */
static size_t predicted_point(const struct dtype *t, const struct sweep *s, double limit)
{
    float *x;
    size_t i = 0;
    cliff_rows_of(t, s, &forms[SINGLE], &x);
    while (i < s->points && (double)x[i] < log(limit)) i++;
    return i;
}

/* log(largest / C), the first point predicted, the first one broken, and how many grid steps they
 * are apart. */
struct cliff {
    double predicted, point, measured, steps;
};

static struct cliff find_cliff(const struct variant *v, const struct sweep *s, size_t c)
{
    const struct dtype *t = dtype_of(v->kernel);
    const struct form equal = {.n = c};
    size_t i = predicted_point(t, s, t->overflow / (double)c);
    struct cliff cliff = {.predicted = log(t->largest / (double)c),
                          .point = i < s->points ? (double)point_of(s, i) : (double)NAN,
                          .measured = cliff_at(v, s, &equal)};
    cliff.steps = fabs(cliff.measured - cliff.point) / cliff_step_of(s);
    return cliff;
}

static void add_cliff(json_t *row, const char *title, const struct cliff *c)
{
    static const char *const names[] = {"predicted", "point", "measured"};
    const double points[] = {c->predicted, c->point, c->measured};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s_%s", title, names[i]);
        json_object_set_new(row, key, point_text(points[i]));
    }
}

/* Fills one twin's columns of the table; leaves them empty if it cannot run here. The first twin
 * is drawn. */
static void add_twin(struct study *s, const struct twin *w, json_t *table, json_t *curves)
{
    struct case_variants v = case_variants(s->context, "logsumexp", w->algorithm, w->dtype);
    const struct variant *best = cliff_best_of(&v);
    double steps = 0, distance = 0;
    json_t *predicted = NULL, *measured = NULL;
    if (!best) return;
    if (w == twins) {
        predicted = case_series(curves, "predicted: log(65504 / C)");
        measured = case_series(curves, "measured");
    }
    for (size_t c = 1, row = 0; c <= C_MAX; c *= 2, row++) {
        struct cliff cliff = find_cliff(best, w->sweep, c);
        add_cliff(json_array_get(json_object_get(table, "rows"), row), w->title, &cliff);
        steps = case_larger(steps, cliff.steps);
        distance = case_larger(distance, fabs(cliff.measured - cliff.predicted));
        if (w != twins) continue;
        case_point(predicted, (double)c, cliff.predicted);
        case_point(measured, (double)c, cliff.measured);
    }
    case_check_number(s->result, steps, 0, 1,
                      "%s, C = 1 .. 4096: grid steps from the first point predicted", w->title);
    if (strcmp(w->dtype, "bf16")) /* whose inputs are 0.5 apart there */
        case_check_number(s->result, distance / cliff_step_of(w->sweep), 0, 1,
                          "%s, C = 1 .. 4096: grid steps from log(largest / C)", w->title);
}

static void cliff_add_counts(struct study *s)
{
    const struct case_axes axes = {"Where C equal elements break in fp16", "C", "x", true, false};
    json_t *table =
        case_table(s->result,
                   "C equal elements without a shift, on grids of 2000 points, 0.015 "
                   "apart ([-15, 15] in fp16, "
                   "[75, 105] in fp32 and bf16, whose inputs are 0.5 apart there)",
                   "c=C", "fp16_predicted=fp16: log(65504 / C)", "fp16_point=first point beyond",
                   "fp16_measured=first broken", "fp32_predicted=fp32: log(FLT_MAX / C)",
                   "fp32_point=first point beyond", "fp32_measured=first broken",
                   "bf16_predicted=bf16: log(3.3895e38 / C)", "bf16_point=first point beyond",
                   "bf16_measured=first broken", NULL);
    json_t *curves = case_curves(s->result, &axes);
    for (int c = 1; c <= C_MAX; c *= 2) case_line(table, "i---------", c);
    for (size_t i = 0; i < TWINS; i++) add_twin(s, &twins[i], table, curves);
}

/* ---- Softplus on a unit that has a limit of its own ------------------------------------------ */

static void add_softplus(struct study *s)
{
    static const struct {
        const char *name, *reported, *expected;
        float limit;
        double overflow;
    } limits[] = {{"2^15", "10.395", "10.3950", 0x1p15f, 0x1p15},
                  {"2^16", "", "11.0900", 0x1p16f, 65504}};
    const struct variant *best = cliff_best_of(&s->softplus);
    if (!best) return;
    json_t *table =
        case_table(s->result, "softplus, log(1 + exp(x)), in half arithmetic: x in steps of 0.001",
                   "limit=internal limit", "predicted=log(limit)", "point=first point beyond",
                   "measured=first broken", "reported=reported", NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct curve c = sweep_softplus(best, &softplus_sweep, limits[i].limit);
        double cliff = cliff_of(&c, &forms[STACK]);
        size_t predicted =
            predicted_point(dtype_of(best->kernel), &softplus_sweep, limits[i].overflow - 1);
        check_point(s, limits[i].expected, cliff, "softplus, internal limit ", limits[i].name);
        case_line(table, "sooos", limits[i].name, point_text(log(limits[i].overflow)),
                  point_text((double)point_of(&softplus_sweep, predicted)), point_text(cliff),
                  limits[i].reported);
    }
}

/* ---- The remedy: no cliff, its error, its price ---------------------------------------------- */

/* The largest deviation from the exact result for the point itself: rounding the point to half
 * counts too. */
static double largest_deviation(const struct variant *v, const struct form *f)
{
    struct curve c = sweep_logsumexp(v, &reported_sweep, f);
    double worst = 0;
    for (size_t i = 0; i < c.sweep->points; i++) {
        double exactly = exact(f, (double)point_of(c.sweep, i));
        worst = case_larger(worst, fabs((double)c.y[i] - exactly));
    }
    curve_free(&c);
    return worst;
}

static void check_shifted(struct study *s)
{
    if (!s->best_shifted) return;
    case_check_number(s->result, largest_deviation(s->best_shifted, &forms[C32]), 0.00865, 0.00875,
                      "halfshifted, 32 equal elements: largest deviation on the sweep");
    case_check_number(s->result, largest_deviation(s->best_shifted, &forms[STACK]), 0, 0.0087,
                      "halfshifted, stack([x, 0]): largest deviation on the sweep");
}

/* The error of the output for one row of c equal elements. */
static double deviation_of_sum(const struct variant *v, size_t c)
{
    static const struct sweep zero = {0, 1, 2}; /* its first point is 0 */
    const struct form equal = {.n = c};
    struct curve one = sweep_logsumexp(v, &zero, &equal);
    double off = (double)one.y[0] - exact(&equal, 0);
    curve_free(&one);
    return off;
}

/* The shift does not help against a sum that stops growing. */
static void add_stagnation(struct study *s)
{
    struct case_variants brain = case_variants(s->context, "logsumexp", "brainsequential", "bf16");
    const struct variant *half = cliff_best_of(&s->sequential), *wide = cliff_best_of(&brain);
    if (!half || !s->best_shifted) return;
    json_t *table = case_table(
        s->result, "C equal elements, shifted: a sum of equal terms stops growing", "c=C",
        "paired=fp16: added in pairs, off by", "fp16=one by one", "fp16_predicted=log(2048 / C)",
        "bf16=bf16: one by one", "bf16_predicted=log(256 / C)", NULL);
    for (size_t c = 128; c <= C_MAX; c *= 2)
        case_line(table, wide ? "nfffff" : "nfff--", (uint64_t)c,
                  deviation_of_sum(s->best_shifted, c), deviation_of_sum(half, c),
                  fmin(0, log(2048.0 / (double)c)), wide ? deviation_of_sum(wide, c) : 0,
                  fmin(0, log(256.0 / (double)c)));
    case_check_number(s->result, deviation_of_sum(half, C_MAX), -0.70, -0.68,
                      "4096 equal terms one by one in fp16: off by (log(1/2))");
    case_check_number(s->result, deviation_of_sum(s->best_shifted, C_MAX), -0.005, 0.005,
                      "4096 equal terms in pairs: off by");
}

/* Elements in [-5, 5), where nothing overflows. */
static void *moderate_elements(const struct dtype *t, size_t count)
{
    float *x = case_alloc(count * sizeof *x);
    void *elements = case_alloc(count * t->bytes);
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = (float)(int32_t)state * 0x1.4p-29f;
    }
    t->narrow(x, elements, count);
    return elements;
}

static void add_price(struct study *s)
{
    static const struct {
        size_t rows, n;
    } shapes[] = {{512, 32}, {4, C_MAX}};
    const struct variant *six = cliff_best_of(&s->six), *shifted = s->best_shifted,
                         *naive = s->best_naive;
    const struct variant *pairs[][2] = {{shifted, naive}, {six, naive}, {six, shifted}};
    double price[2] = {0, 0};
    json_t *table = case_table(
        s->result, "Time of one over that of the other, in turns on one core", "variant=variant",
        "against=over that of", "n=n", "ratio=time", "low=from", "high=to (95%)", NULL);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            const struct variant *a = pairs[p][0], *b = pairs[p][1];
            const size_t rows = shapes[i].rows, n = shapes[i].n;
            if (!a || !b) continue;
            const struct dtype *t = dtype_of(a->kernel);
            void *x = moderate_elements(t, rows * n), *y = case_alloc(rows * t->bytes);
            struct case_ratio r = case_ratio(s->context, a, b, case_job(rows, n, x, y, 1));
            if (!p) price[i] = r.ratio;
            case_line(table, "ssnfff", a->id, b->algorithm, (uint64_t)n, r.ratio, r.low, r.high);
        }
    if (shifted)
        case_price(
            s->result,
            "the shift takes %.2f times the time of none for rows of 32, %.2f times for rows "
            "of 4096 (%s, %s); six passes over memory cost more, and give its bits",
            price[0], price[1], shifted->isa, shifted->cc);
}

/* ---- Output against x ------------------------------------------------------------------------ */

/* Draws every tenth point, and the last one before the result breaks. */
static void draw_line(json_t *curves, const char *name, const struct curve *c, const struct form *f)
{
    json_t *series = case_series(curves, name);
    size_t end = first_broken(c, f);
    for (size_t i = 0; i < end; i++)
        if (i % 10 == 0 || i + 1 == end)
            case_point(series, (double)point_of(c->sweep, i), (double)c->y[i]);
}

static void draw_curves(struct study *s)
{
    const struct case_axes axes = {"Output in fp16: a line ends where the result is infinite", "x",
                                   "y", false, false};
    const struct variant *unit = cliff_best_of(&s->softplus);
    const struct {
        const char *name;
        const struct variant *variant;
        const struct form *form;
    } lines[] = {{"shifted, 32 equal elements", s->best_shifted, &forms[C32]},
                 {"naive, 32 equal elements", s->best_naive, &forms[C32]},
                 {"naive, stack([x, 0])", s->best_naive, &forms[STACK]}};
    json_t *curves = case_curves(s->result, &axes);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].variant) continue;
        struct curve c = sweep_logsumexp(lines[i].variant, &reported_sweep, lines[i].form);
        draw_line(curves, lines[i].name, &c, lines[i].form);
    }
    if (!unit) return;
    struct curve c = sweep_softplus(unit, &reported_sweep, 0x1p15f);
    draw_line(curves, "softplus, internal limit 2^15", &c, &forms[STACK]);
}

static void cliff_measure(struct study *s)
{
    draw_curves(s);
    cliff_check_reported(s);
    add_variants(s);
    add_isas(s);
    check_bits(s, "halfnaive: variants with other bits", &s->naive, s->best_naive);
    if (s->best_shifted) {
        check_bits(s, "halfshifted: variants with other bits", &s->shifted, s->best_shifted);
        check_bits(s, "halfsix: variants with other bits than halfshifted", &s->six,
                   s->best_shifted);
    }
    cliff_add_counts(s);
    add_softplus(s);
    check_shifted(s);
    add_stagnation(s);
    add_price(s);
}

static void run(const struct case_context *c, struct case_result *r)
{
    struct study s = {.context = c,
                      .result = r,
                      .naive = case_variants(c, "logsumexp", "halfnaive", "f16"),
                      .shifted = case_variants(c, "logsumexp", "halfshifted", "f16"),
                      .six = case_variants(c, "logsumexp", "halfsix", "f16"),
                      .sequential = case_variants(c, "logsumexp", "halfsequential", "f16"),
                      .softplus = case_variants(c, "softplus", "halflimit", "f16")};
    s.best_naive = cliff_best_of(&s.naive);
    s.best_shifted = cliff_best_of(&s.shifted);
    if (s.best_naive)
        cliff_measure(&s);
    else
        case_skip(r, "logsumexp/halfnaive cannot run here: it needs AVX2 and F16C, in this build");
}

const struct case_study case_fp16_lse_cliff = {
    .name = "fp16-lse-cliff",
    .title =
        "logsumexp without a max-shift collapses in half precision, far below the largest half",
    .reported =
        "On Apple's neural engine in fp16, logsumexp over 32 equal elements drops from 11.10 "
        "to 0 at x = 7.6313 on a sweep of 2000 points of [-15, 15]; over stack([x, 0]) at "
        "11.0980; softplus at 10.395.",
    .mechanism =
        "The sum of C equal exp(x) passes 65504, the largest half, from x = log(65504 / C) "
        "on, 7.6241 for C = 32, and its logarithm is infinite; a unit with an internal "
        "limit of 2^15 ends at log(2^15) = 10.397, and x itself is rounded to half first.",
    .remedy = "Subtract the maximum before exp and add it after log, in one kernel or as the six "
              "primitives sub, exp, sum, log, add, max: the same bits. Sum in pairs: added one by "
              "one, 2048 equal terms are all that fp16 can count.",
    .run = run,
};
