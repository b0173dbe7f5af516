// SPDX-License-Identifier: MIT
/* exp(f(x) - f(x)) is not 1 if the two f are computed differently: softmax of a scaled row, in the
 * forms that compilers make of it, under every build, over scales from 1 to 1e13. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "scaledforms.h"
#include "study/litmus.h"

enum { SCALES_MAX = 32, ROW = 1000, TAIL = 3 };

/* The measurements at one scale. f is the numerator of the largest element, exp(f(x) - f(x)). */
struct point {
    double f_error;           /* largest finite |f - 1| */
    double f_wrong;           /* share of x whose f is not exactly 1 */
    double f_inf;             /* share of x whose f is inf */
    double split;             /* share of constant rows whose elements differ */
    double sum_low, sum_high; /* over the finite row sums */
    double sum_error;         /* largest finite |row sum - 1| */
    double rows_nan;          /* share of rows with a NaN or an inf */
    double rows_wrong;        /* share of rows with one, or a sum off by more than 1e-3 */
};

/* The size of all points of one variant: [FORM_COUNT][SCALES_MAX]. */
#define POINTS_BYTES (FORM_COUNT * SCALES_MAX * sizeof(struct point))

struct sweep {
    const struct case_context *context;
    double scales[SCALES_MAX];
    size_t scale_count;
    size_t xs, rows, room; /* room: elements of in and of out */
    float *x;              /* [xs], uniform in [-1, 1) */
    float *normal;         /* [rows, ROW] */
    float *in, *out, *scratch;
    struct case_variants forms, safe;
    struct point *points; /* [variants][FORM_COUNT][SCALES_MAX] */
};

static struct point *point_at(const struct sweep *s, size_t variant, size_t form, size_t scale)
{
    return &s->points[(variant * FORM_COUNT + form) * SCALES_MAX + scale];
}

/* The index of a scale of the sweep, which are the powers of ten and 3.3 times these. */
static size_t scale_at(const struct sweep *s, double scale)
{
    size_t i = 0;
    while (i + 1 < s->scale_count && fabs(s->scales[i] / scale - 1) > 1e-6) i++;
    return i;
}

/* ---- One build, one form, one scale ---------------------------------------------------------- */

static void call_kernel(const struct sweep *s, const struct variant *v, float scale,
                        const struct scaled_request *request, const float *x, size_t rows, size_t n)
{
    const struct job job = {.rows = rows,
                            .n = n,
                            .x = x,
                            .x_stride = n,
                            .y = s->out,
                            .y_stride = n,
                            .scale = scale,
                            .scratch = s->scratch,
                            .operand = request};
    case_call(v, &job);
}

/* Returns the factor or divisor for a scale: dividing by 1e-6 is a scale of 1e6. */
static float factor_of(enum scaled_form form, double scale)
{
    bool divides = form != FORM_PRODUCT && form != FORM_PRODUCT_STORED;
    return (float)(divides ? 1 / scale : scale);
}

/* The length of constant rows, in which every element is the largest: TAIL elements longer than one
 * step of the unrolled body. */
static size_t constant_length(const struct variant *v)
{
    return v->kernel->lanes * v->kernel->chains + TAIL;
}

static void fill_constant_rows(const struct sweep *s, size_t n)
{
    for (size_t i = 0; i < s->xs; i++)
        for (size_t k = 0; k < n; k++) s->in[i * n + k] = s->x[i];
}

/* Looks at the first and last element of the body and of the tail; the elements between are
 * computed like the ends. */
static void measure_f(const struct sweep *s, const struct variant *v, enum scaled_form form,
                      double scale, struct point *p)
{
    const struct scaled_request request = {form, true};
    size_t n = constant_length(v), wrong = 0, infinite = 0, split = 0;
    call_kernel(s, v, factor_of(form, scale), &request, s->in, s->xs, n);
    for (size_t i = 0; i < s->xs; i++) {
        const float *row = s->out + i * n;
        const float looked_at[] = {row[0], row[n - TAIL - 1], row[n - TAIL], row[n - 1]};
        bool any_wrong = false, any_inf = false, alike = true;
        for (size_t k = 0; k < sizeof looked_at / sizeof *looked_at; k++) {
            any_wrong |= looked_at[k] != 1;
            any_inf |= !isfinite(looked_at[k]);
            alike &= !memcmp(&looked_at[k], row, sizeof *row);
            if (isfinite(looked_at[k]))
                p->f_error = fmax(p->f_error, fabs((double)looked_at[k] - 1));
        }
        wrong += any_wrong, infinite += any_inf, split += !alike;
    }
    p->f_wrong = (double)wrong / (double)s->xs;
    p->f_inf = (double)infinite / (double)s->xs;
    p->split = (double)split / (double)s->xs;
}

static void measure_sums(const struct sweep *s, struct point *p)
{
    size_t bad = 0, wrong = 0;
    p->sum_low = INFINITY, p->sum_high = -INFINITY;
    for (size_t r = 0; r < s->rows; r++) {
        double sum = 0;
        for (size_t i = 0; i < ROW; i++) sum += (double)s->out[r * ROW + i];
        bad += !isfinite(sum);
        wrong += !(fabs(sum - 1) <= 1e-3);
        if (!isfinite(sum)) continue;
        p->sum_low = fmin(p->sum_low, sum);
        p->sum_high = fmax(p->sum_high, sum);
        p->sum_error = fmax(p->sum_error, fabs(sum - 1));
    }
    p->rows_nan = (double)bad / (double)s->rows;
    p->rows_wrong = (double)wrong / (double)s->rows;
}

static struct point fma_measure(const struct sweep *s, const struct variant *v,
                                enum scaled_form form, double scale)
{
    const struct scaled_request request = {form, false};
    struct point p = {0};
    measure_f(s, v, form, scale, &p);
    call_kernel(s, v, factor_of(form, scale), &request, s->normal, s->rows, ROW);
    measure_sums(s, &p);
    return p;
}

/* ---- The sweep ------------------------------------------------------------------------------- */

static void room_open(struct sweep *s)
{
    s->in = case_alloc(s->room * sizeof *s->in);
    s->out = case_alloc(s->room * sizeof *s->out);
    s->scratch = case_alloc((2 * ROW + 256) * sizeof *s->scratch);
}

static void room_close(struct sweep *s)
{
    free(s->in);
    free(s->out);
    free(s->scratch);
}

static void sweep_open(struct sweep *s, const struct case_context *c)
{
    static const size_t xs[] = {[CASE_QUICK] = 400, [CASE_DEFAULT] = 3000, [CASE_FULL] = 10000};
    static const size_t rows[] = {[CASE_QUICK] = 10, [CASE_DEFAULT] = 32, [CASE_FULL] = 512};
    *s = (struct sweep){.context = c, .xs = xs[c->effort], .rows = rows[c->effort]};
    for (int k = 0; k <= 13; k++) {
        s->scales[s->scale_count++] = pow(10, k);
        if (k < 13) s->scales[s->scale_count++] = 3.3 * pow(10, k);
    }
    s->forms = case_variants(c, "softmax", "scaledforms", NULL);
    s->safe = case_variants(c, "softmax", "scaledsafe", NULL);
    size_t longest = 1;
    for (size_t i = 0; i < s->forms.count; i++) {
        size_t n = constant_length(s->forms.items[i]);
        if (n > longest) longest = n;
    }
    s->room = s->xs * longest > s->rows * ROW ? s->xs * longest : s->rows * ROW;
    s->x = case_inputs(FAMILY_UNIFORM, DOMAIN_EXPONENT, c->seed, 1, s->xs);
    s->normal = case_inputs(FAMILY_NORMAL, DOMAIN_EXPONENT, c->seed, s->rows, ROW);
    room_open(s);
}

static void sweep_close(struct sweep *s)
{
    case_variants_free(&s->forms);
    case_variants_free(&s->safe);
    free(s->x);
    free(s->normal);
    free(s->points);
    room_close(s);
}

static void sweep_variant(const void *context, const struct variant *v, void *points)
{
    struct sweep s = *(const struct sweep *)context;
    struct point(*by_form)[SCALES_MAX] = points;
    room_open(&s);
    fill_constant_rows(&s, constant_length(v));
    for (enum scaled_form form = 0; form < FORM_COUNT; form++)
        for (size_t k = 0; k < s.scale_count; k++)
            by_form[form][k] = fma_measure(&s, v, form, s.scales[k]);
    room_close(&s);
}

static void sweep_run(struct sweep *s)
{
    s->points = case_measure(&s->forms, POINTS_BYTES, sweep_variant, s);
}

/* ---- Over builds ----------------------------------------------------------------------------- */

static bool is_policy(const struct variant *v, const char *policy)
{
    return !policy || !strcmp(v->policy, policy);
}

enum { F_ERROR, F_WRONG, F_INF, SPLIT, ROWS_NAN, ROWS_WRONG, SUM_ERROR };
static double field_of(const struct point *p, int field)
{
    const double values[] = {p->f_error,  p->f_wrong,    p->f_inf,    p->split,
                             p->rows_nan, p->rows_wrong, p->sum_error};
    return values[field];
}

/* The largest of a field over one form's scales from `from` to `to`. */
static double fma_largest(const struct sweep *s, size_t variant, enum scaled_form form, int field,
                          double from, double to)
{
    double most = 0;
    for (size_t k = scale_at(s, from); k <= scale_at(s, to); k++)
        most = fmax(most, field_of(point_at(s, variant, form, k), field));
    return most;
}

/* largest() over the builds of a policy (NULL: all); NAN if there are none. */
static double largest_of(const struct sweep *s, const char *policy, enum scaled_form form,
                         int field, double from, double to)
{
    double most = NAN;
    for (size_t v = 0; v < s->forms.count; v++)
        if (is_policy(s->forms.items[v], policy))
            most = fmax(most, fma_largest(s, v, form, field, from, to));
    return most;
}

/* Returns whether a form that uses one operation gives anything but 1 under this build. */
static bool breaks(const struct sweep *s, size_t variant, enum scaled_form form)
{
    return fma_largest(s, variant, form, F_WRONG, 1, 1e13) > 0;
}

static bool breaks_any(const struct sweep *s, size_t variant)
{
    for (enum scaled_form form = 0; form < FORM_MIXED; form++)
        if (breaks(s, variant, form)) return true;
    return false;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static const char *share_text(char *text, size_t size, double share)
{
    snprintf(text, size, share > 0 && share < 0.001 ? "%.1e" : "%.3g%%",
             share > 0 && share < 0.001 ? share : 100 * share);
    return text;
}

static double stored_wrong(const struct sweep *s, size_t v)
{
    return fmax(fma_largest(s, v, FORM_PRODUCT_STORED, F_WRONG, 1, 1e13),
                fmax(fma_largest(s, v, FORM_QUOTIENT_STORED, F_WRONG, 1, 1e13),
                     fma_largest(s, v, FORM_RECIPROCAL_STORED, F_WRONG, 1, 1e13)));
}

/* Returns the largest share of constant rows whose elements differ, over all forms. */
static double split_of(const struct sweep *s, size_t v)
{
    double most = 0;
    for (enum scaled_form form = 0; form < FORM_COUNT; form++)
        most = fmax(most, fma_largest(s, v, form, SPLIT, 1, 1e13));
    return most;
}

static void fma_add_rows(const struct sweep *s, struct case_result *r)
{
    for (size_t v = 0; v < s->forms.count; v++) {
        json_t *row = case_row(r, s->forms.items[v], breaks_any(s, v));
        const struct {
            const char *key;
            double value;
        } fields[] = {
            {"product_f_error_3.3e6", fma_largest(s, v, FORM_PRODUCT, F_ERROR, 3.3e6, 3.3e6)},
            {"product_inf_3.3e9", fma_largest(s, v, FORM_PRODUCT, F_INF, 3.3e9, 3.3e9)},
            {"product_rows_nan", fma_largest(s, v, FORM_PRODUCT, ROWS_NAN, 1, 1e13)},
            {"split", split_of(s, v)},
            {"reciprocal_f_error_3.3e6", fma_largest(s, v, FORM_RECIPROCAL, F_ERROR, 3.3e6, 3.3e6)},
            {"quotient_f_error_3.3e6", fma_largest(s, v, FORM_QUOTIENT, F_ERROR, 3.3e6, 3.3e6)},
            {"stored_f_wrong", stored_wrong(s, v)},
            {"mixed_f_error_1e6", fma_largest(s, v, FORM_MIXED, F_ERROR, 1e6, 1e6)},
        };
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            json_object_set_new(row, fields[i].key, record_real(fields[i].value));
        json_object_set_new(row, "fma", json_integer(s->forms.items[v]->build->counts.fma));
    }
}

static bool same_points(const void *context, size_t a, size_t b)
{
    const struct sweep *s = context;
    return !memcmp(point_at(s, a, 0, 0), point_at(s, b, 0, 0), POINTS_BYTES);
}

static void add_builds(const struct sweep *s, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler",
                                          "isa=ISA",
                                          "policies=policies",
                                          "fma=FMA",
                                          "a=x*s: 3.3",
                                          "b=3.3e3",
                                          "c=3.3e6",
                                          "d=3.3e7",
                                          "e=inf at 3.3e9",
                                          "f=at 3.3e10",
                                          "g=x/s: 3.3e6",
                                          "h=x*(1/s): 3.3e6",
                                          "i=body unlike tail",
                                          "j=mixed: 1e6",
                                          "k=stored: f is not 1"};
    json_t *rows = case_table(r,
                              "Largest |f - 1| (and share of inf) of f = exp(f(x) - f(x)), "
                              "recomputed in each pass, by scale; s of a quotient is its inverse",
                              columns, sizeof columns / sizeof *columns);
    for (size_t v = 0; v < s->forms.count; v++) {
        const struct variant *variant = s->forms.items[v];
        char policies[100] = "", share[4][24];
        if (!case_policies_alike(&s->forms, v, same_points, s, policies, sizeof policies)) continue;
        share_text(share[0], 24, fma_largest(s, v, FORM_PRODUCT, F_INF, 3.3e9, 3.3e9));
        share_text(share[1], 24, fma_largest(s, v, FORM_PRODUCT, F_INF, 3.3e10, 3.3e10));
        share_text(share[2], 24, split_of(s, v));
        share_text(share[3], 24, stored_wrong(s, v));
        json_t *row =
            json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:s, s:s, s:f, s:f, s:s, s:f, s:s}",
                      "cc", variant->cc, "isa", variant->isa, "policies", policies, "fma",
                      (int)variant->build->counts.fma, "a",
                      fma_largest(s, v, FORM_PRODUCT, F_ERROR, 3.3, 3.3), "b",
                      fma_largest(s, v, FORM_PRODUCT, F_ERROR, 3.3e3, 3.3e3), "c",
                      fma_largest(s, v, FORM_PRODUCT, F_ERROR, 3.3e6, 3.3e6), "d",
                      fma_largest(s, v, FORM_PRODUCT, F_ERROR, 3.3e7, 3.3e7), "e", share[0], "f",
                      share[1], "g", fma_largest(s, v, FORM_QUOTIENT, F_ERROR, 3.3e6, 3.3e6), "h",
                      fma_largest(s, v, FORM_RECIPROCAL, F_ERROR, 3.3e6, 3.3e6), "i", share[2], "j",
                      fma_largest(s, v, FORM_MIXED, F_ERROR, 1e6, 1e6), "k", share[3]);
        json_array_append_new(rows, row);
    }
}

/* The build whose sweep is shown: under `off` the last one, else the last one that breaks. Later
 * builds have wider ISAs. */
static size_t shown_build(const struct sweep *s, const char *policy)
{
    size_t found = s->forms.count;
    for (size_t v = 0; v < s->forms.count; v++)
        if (is_policy(s->forms.items[v], policy) && (!strcmp(policy, "off") || breaks_any(s, v)))
            found = v;
    return found;
}

static void add_sweep(const struct sweep *s, struct case_result *r, size_t fused, size_t off)
{
    static const char *const columns[] = {"scale=scale",
                                          "f=|f-1|, fused x*s",
                                          "inf=f is inf",
                                          "nan=rows NaN",
                                          "wrong=rows wrong",
                                          "sum=|row sum - 1|",
                                          "mixed=|f-1|, mixed form, off",
                                          "mixed_wrong=rows wrong"};
    char caption[200];
    snprintf(caption, sizeof caption, "By scale: %s on %s under `%s`, and the mixed form under off",
             s->forms.items[fused]->cc, s->forms.items[fused]->isa, s->forms.items[fused]->policy);
    json_t *rows = case_table(r, caption, columns, sizeof columns / sizeof *columns);
    json_t *errors = case_curves(r, &(struct case_axes){"|exp(f(x) - f(x)) - 1| by scale", "scale",
                                                        "largest |f - 1|", true, true});
    json_t *shares = case_curves(
        r, &(struct case_axes){"Share of rows that break (NaN, inf, or a sum off by over 1e-3)",
                               "scale", "share of rows", true, false});
    json_t *lines[] = {case_series(errors, "fused x * s"), case_series(errors, "mixed form, off"),
                       case_series(shares, "fused x * s"), case_series(shares, "mixed form, off"),
                       case_series(shares, "off, one operation")};
    for (size_t k = 0; k < s->scale_count; k++) {
        const struct point *p = point_at(s, fused, FORM_PRODUCT, k);
        const struct point *m = point_at(s, off, FORM_MIXED, k);
        const struct point *o = point_at(s, off, FORM_PRODUCT, k);
        double scale = s->scales[k];
        case_point(lines[0], scale, p->f_error);
        case_point(lines[1], scale, m->f_error);
        case_point(lines[2], scale, p->rows_wrong);
        case_point(lines[3], scale, m->rows_wrong);
        case_point(lines[4], scale, o->rows_wrong);
        char share[4][24];
        json_array_append_new(
            rows, json_pack("{s:f, s:f, s:s, s:s, s:s, s:f, s:f, s:s}", "scale", scale, "f",
                            p->f_error, "inf", share_text(share[0], 24, p->f_inf), "nan",
                            share_text(share[1], 24, p->rows_nan), "wrong",
                            share_text(share[2], 24, p->rows_wrong), "sum", p->sum_error, "mixed",
                            m->f_error, "mixed_wrong", share_text(share[3], 24, m->rows_wrong)));
    }
}

/* ---- scaledsafe: scale * (x - max) ----------------------------------------------------------- */

static struct point measure_safe(const struct sweep *s)
{
    struct point worst = {0};
    for (size_t v = 0; v < s->safe.count; v++) {
        if (s->safe.same[v] < v) continue;
        for (size_t k = 0; k < s->scale_count; k++) {
            struct point p = {0};
            call_kernel(s, s->safe.items[v], (float)s->scales[k], NULL, s->normal, s->rows, ROW);
            measure_sums(s, &p);
            worst.sum_error = fmax(worst.sum_error, p.sum_error);
            worst.rows_nan = fmax(worst.rows_nan, p.rows_nan);
        }
    }
    return worst;
}

/* ---- Verdict --------------------------------------------------------------------------------- */

static double worst_of_one_operation(const struct sweep *s, const char *policy)
{
    double worst = 0;
    for (enum scaled_form form = 0; form < FORM_MIXED; form++)
        worst = fmax(worst, largest_of(s, policy, form, F_WRONG, 1, 1e13));
    return worst;
}

static void check_contracted(const struct sweep *s, struct case_result *r)
{
    static const struct {
        const char *what;
        int field;
        double scale, low, high;
    } figures[] = {
        {"contracted x*s: |f - 1| at scale 3.3 (reported 1.2e-7)", F_ERROR, 3.3, 1e-7, 2.4e-7},
        {"at 3.3e3 (1.2e-4)", F_ERROR, 3.3e3, 1e-4, 1.3e-4},
        {"at 3.3e6 (0.13)", F_ERROR, 3.3e6, 0.12, 0.14},
        {"at 3.3e7 (1.7)", F_ERROR, 3.3e7, 1.6, 1.8},
        {"share of inf at 3.3e9 (5%)", F_INF, 3.3e9, 0.03, 0.08},
        {"at 3.3e10 (38%)", F_INF, 3.3e10, 0.33, 0.43},
        {"rows of a scaled tensor that become NaN at 1e10", ROWS_NAN, 1e10, 0.05, 1},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        case_check_number(r, figures[i].what,
                          largest_of(s, "fast", FORM_PRODUCT, figures[i].field, figures[i].scale,
                                     figures[i].scale),
                          figures[i].low, figures[i].high);
    case_check_number(r, "contracted x*(1/s): |f - 1| at 3.3e6",
                      largest_of(s, "fast", FORM_RECIPROCAL, F_ERROR, 3.3e6, 3.3e6), 0.12, 0.14);
    case_check_number(r, "scores stored before the maximum, contracted: |f - 1|",
                      largest_of(s, "fast", FORM_PRODUCT_STORED, F_ERROR, 1, 1e13), 0, 0);
}

/* The finite row sums of the mixed form under a policy, for rows of normals divided by 1e-6 as in
 * one of the reports. */
static struct point report_sums(const struct sweep *s, const char *policy)
{
    static const size_t rows[] = {[CASE_QUICK] = 256, [CASE_DEFAULT] = 2048, [CASE_FULL] = 8192};
    const struct scaled_request request = {FORM_MIXED, false};
    struct sweep r = *s;
    struct point all = {.sum_low = INFINITY, .sum_high = -INFINITY};
    r.rows = rows[s->context->effort];
    r.normal = case_inputs(FAMILY_NORMAL, DOMAIN_EXPONENT, s->context->seed, r.rows, ROW);
    r.out = case_alloc(r.rows * ROW * sizeof *r.out);
    for (size_t v = 0; v < s->forms.count; v++) {
        struct point p = {0};
        if (!is_policy(s->forms.items[v], policy) || s->forms.same[v] < v) continue;
        call_kernel(&r, s->forms.items[v], 1e-6f, &request, r.normal, r.rows, ROW);
        measure_sums(&r, &p);
        all.sum_low = fmin(all.sum_low, p.sum_low);
        all.sum_high = fmax(all.sum_high, p.sum_high);
        all.rows_wrong = fmax(all.rows_wrong, p.rows_wrong);
    }
    free(r.normal);
    free(r.out);
    return all;
}

/* Checks the mixed form. Without contraction the scores of the two operations are equal or
 * neighbouring floats. The sums are then 1 or, for scores whose neighbours are 1/4 apart,
 * exp(-1/4). */
static void check_mixed(const struct sweep *s, struct case_result *r)
{
    struct point off = report_sums(s, "off"), fast = report_sums(s, "fast");
    case_check_number(r, "mixed x/s and x*(1/s) under off: |f - 1| at 1e-6 (0.06)",
                      largest_of(s, "off", FORM_MIXED, F_ERROR, 1e6, 1e6), 0.05, 0.08);
    case_check_number(r, "at 1e-9 (6e27)", largest_of(s, "off", FORM_MIXED, F_ERROR, 1e9, 1e9),
                      1e26, 1e30);
    case_check_number(r, "rows of normals / 1e-6, mixed, under off: least row sum (0.77)",
                      off.sum_low, 0.75, 0.8);
    case_check_number(r, "share of rows whose sum is off by over 1e-3", off.rows_wrong, 1e-3, 0.2);
    case_check_number(r, "the same contracted: least row sum (0.77)", fast.sum_low, 0.75, 0.9);
    case_check_number(r, "largest row sum (1.2)", fast.sum_high, 1.1, 1.3);
    case_check_number(r, "contracted: share of rows whose sum is off by over 1e-3", fast.rows_wrong,
                      0.5, 1);
}

/* Checks which compilers break x * scale by default: gcc everywhere; clang from 14 on, and only
 * where the source is an expression of plain C, as in the scalar vocabulary. */
static void check_defaults(const struct sweep *s, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler", "isa=ISA", "fma=FMA instructions",
                                          "breaks=its default breaks x*s", "quotient=breaks x/s"};
    json_t *rows = case_table(r, "The compilers' defaults (-std=gnu11, nothing said)", columns, 5);
    for (size_t v = 0; v < s->forms.count; v++) {
        const struct variant *variant = s->forms.items[v];
        bool expected = case_cc_is(variant->cc, "gcc") ||
                        (!strcmp(variant->isa, "scalar") && default_fuses_expressions(variant->cc));
        bool broken = breaks(s, v, FORM_PRODUCT);
        char what[100];
        if (!is_policy(variant, "default")) continue;
        json_array_append_new(rows,
                              json_pack("{s:s, s:s, s:i, s:b, s:b}", "cc", variant->cc, "isa",
                                        variant->isa, "fma", (int)variant->build->counts.fma,
                                        "breaks", broken, "quotient", breaks(s, v, FORM_QUOTIENT)));
        snprintf(what, sizeof what, "the default of %s breaks x*s (%s)", variant->cc, variant->isa);
        case_check(r, what, expected ? "yes" : "no", json_string(broken ? "yes" : "no"),
                   expected == broken);
    }
}

enum { PRICE_ROWS = 16, PRICE_N = 512 };

struct price {
    const struct variant *fast;                /* softmax/scaled */
    struct case_ratio off, safe, safe_and_off; /* relative to fast; pairs 0: not measured */
};

static struct case_ratio measure_ratio(const struct sweep *s, const struct variant *a,
                                       const struct variant *b)
{
    const struct job job = {.rows = PRICE_ROWS,
                            .n = PRICE_N,
                            .x = s->normal,
                            .x_stride = PRICE_N,
                            .y = s->out,
                            .y_stride = PRICE_N,
                            .scale = 0.125f,
                            .scratch = s->scratch};
    return a && b ? case_ratio(s->context, a, &job, b, &job) : (struct case_ratio){.pairs = 0};
}

static struct price fma_price_of(const struct sweep *s, const struct case_variants *scaled,
                                 const struct variant *fast)
{
    return (struct price){
        .fast = fast,
        .off = measure_ratio(s, case_pick(scaled, fast->isa, fast->cc, "off"), fast),
        .safe = measure_ratio(s, case_pick(&s->safe, fast->isa, fast->cc, "fast"), fast),
        .safe_and_off = measure_ratio(s, case_pick(&s->safe, fast->isa, fast->cc, "off"), fast),
    };
}

static void add_price_row(json_t *rows, const struct price *p)
{
    const struct case_ratio *ratios[] = {&p->off, &p->safe, &p->safe_and_off};
    static const char *const keys[] = {"off", "safe", "both"};
    json_t *row = json_pack("{s:s, s:s}", "cc", p->fast->cc, "isa", p->fast->isa);
    for (size_t i = 0; i < 3; i++) {
        char text[60];
        snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", ratios[i]->ratio, ratios[i]->low,
                 ratios[i]->high);
        json_object_set_new(row, keys[i], ratios[i]->pairs ? json_string(text) : json_null());
    }
    json_array_append_new(rows, row);
}

/* The remedies, and both together, relative to softmax/scaled under fast, per compiler and vector
 * ISA. */
static void fma_price(const struct sweep *s, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler", "isa=ISA", "off=-ffp-contract=off",
                                          "safe=scale * (x - max), fast",
                                          "both=scale * (x - max), off"};
    struct case_variants scaled = case_variants(s->context, "softmax", "scaled", NULL);
    struct price last = {.fast = NULL}; /* the price on the widest ISA */
    json_t *rows =
        case_table(r,
                   "Prices: time over that of softmax/scaled under fast, 16 rows of 512, "
                   "median of pairs in turns [95%]",
                   columns, sizeof columns / sizeof *columns);
    for (size_t v = 0; v < scaled.count; v++) {
        const struct variant *fast = scaled.items[v];
        if (!is_policy(fast, "fast") || !strcmp(fast->isa, "scalar")) continue;
        struct price p = fma_price_of(s, &scaled, fast);
        add_price_row(rows, &p);
        if (p.off.pairs && p.safe.pairs) last = p;
    }
    if (last.fast)
        case_price(r,
                   "-ffp-contract=off takes %.3f times [%.3f, %.3f] as long as fast; scale * "
                   "(x - max) under fast %.3f times [%.3f, %.3f], and never breaks "
                   "(softmax/scaled, %s, %s, %dx%d; the others in the table)",
                   last.off.ratio, last.off.low, last.off.high, last.safe.ratio, last.safe.low,
                   last.safe.high, last.fast->cc, last.fast->isa, PRICE_ROWS, PRICE_N);
    case_variants_free(&scaled);
}

static void run(const struct case_context *c, struct case_result *r)
{
    struct sweep s;
    sweep_open(&s, c);
    sweep_run(&s);
    size_t fused = shown_build(&s, "fast"), off = shown_build(&s, "off");
    if (fused == s.forms.count || off == s.forms.count) {
        case_skip(r, "needs softmax/scaledforms under off and fast, of which one cannot run here");
    } else {
        fma_add_rows(&s, r);
        case_check_number(r, "off, one operation in every pass: share of f that is not exactly 1",
                          worst_of_one_operation(&s, "off"), 0, 0);
        check_contracted(&s, r);
        check_mixed(&s, r);
        if (s.safe.count) {
            struct point safe = measure_safe(&s);
            case_check_number(r, "scaledsafe, every build and scale: |row sum - 1|", safe.sum_error,
                              0, 1e-5);
            case_check_number(r, "scaledsafe: rows with NaN or inf", safe.rows_nan, 0, 0);
        }
        add_builds(&s, r);
        add_sweep(&s, r, fused, off);
        check_defaults(&s, r);
        fma_price(&s, r);
    }
    sweep_close(&s);
}

const struct case_study case_fma_softmax = {
    .name = "fma-softmax",
    .title = "exp(f(x) - f(x)) is not 1: contraction breaks the softmax of a scaled row",
    .reported =
        "torch.compile gave inf where eager gives 1 (PyTorch issues 121558, 122260): the maximum "
        "is taken of x*scale rounded, the exponent is fma(x, scale, -max). Users met it on CPUs: "
        "NaN from the softmax of a scaled tensor, rows that sum to 0.77 .. 1.2 after a division "
        "by 1e-6 that one pass keeps and another turns into a product.",
    .mechanism = "Contracted, the largest element's exponent is the rounding error of x*scale, up "
                 "to half an ulp of the score, instead of 0.",
    .remedy = "-ffp-contract=off where every pass uses the same operation; scale * (x - max), "
              "right under every policy; or scores stored before the maximum is taken, "
              "right under all but -ffast-math.",
    .run = run,
};
