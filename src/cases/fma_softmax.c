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
enum {
    F_ERROR,    /* largest finite |f - 1| */
    F_WRONG,    /* share of x whose f is not exactly 1 */
    F_INF,      /* share of x whose f is inf */
    SPLIT,      /* share of constant rows whose elements differ */
    SUM_LOW,    /* least of the finite row sums */
    SUM_HIGH,   /* largest */
    SUM_ERROR,  /* largest finite |row sum - 1| */
    ROWS_NAN,   /* share of rows with a NaN or an inf */
    ROWS_WRONG, /* share of rows with one, or a sum off by more than 1e-3 */
    FIELDS
};
/* All points of one variant. */
typedef double points[FORM_COUNT][SCALES_MAX][FIELDS];

struct sweep {
    const struct case_context *context;
    double scales[SCALES_MAX];
    size_t scale_count;
    size_t xs, rows;
    float *x;      /* [xs], uniform in [-1, 1) */
    float *normal; /* [rows, ROW] */
    float *in;     /* constant rows of x */
    float *out;
    struct case_variants forms, safe;
    points *of; /* [variants] */
};

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
    struct job job = case_job(rows, n, x, s->out, n);
    job.scale = scale;
    job.operand = request;
    case_call(v, job);
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

/* Looks at the first and last element of the body and of the tail; the elements between are
 * computed like the ends. */
static void measure_f(const struct sweep *s, const struct variant *v, enum scaled_form form,
                      double scale, double *p)
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
                p[F_ERROR] = fmax(p[F_ERROR], fabs((double)looked_at[k] - 1));
        }
        wrong += any_wrong, infinite += any_inf, split += !alike;
    }
    p[F_WRONG] = (double)wrong / (double)s->xs;
    p[F_INF] = (double)infinite / (double)s->xs;
    p[SPLIT] = (double)split / (double)s->xs;
}

static void measure_sums(const struct sweep *s, double *p)
{
    size_t bad = 0, wrong = 0;
    p[SUM_LOW] = INFINITY, p[SUM_HIGH] = -INFINITY;
    for (size_t r = 0; r < s->rows; r++) {
        double sum = 0;
        for (size_t i = 0; i < ROW; i++) sum += (double)s->out[r * ROW + i];
        bad += !isfinite(sum);
        wrong += !(fabs(sum - 1) <= 1e-3);
        if (!isfinite(sum)) continue;
        p[SUM_LOW] = fmin(p[SUM_LOW], sum);
        p[SUM_HIGH] = fmax(p[SUM_HIGH], sum);
        p[SUM_ERROR] = fmax(p[SUM_ERROR], fabs(sum - 1));
    }
    p[ROWS_NAN] = (double)bad / (double)s->rows;
    p[ROWS_WRONG] = (double)wrong / (double)s->rows;
}

/* ---- The sweep ------------------------------------------------------------------------------- */

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
    s->x = case_inputs(FAMILY_UNIFORM, DOMAIN_EXPONENT, c->seed, 1, s->xs);
    s->normal = case_inputs(FAMILY_NORMAL, DOMAIN_EXPONENT, c->seed, s->rows, ROW);
    s->out = case_alloc(s->rows * ROW * sizeof *s->out);
}

static void sweep_variant(const void *context, const struct variant *v, void *result)
{
    struct sweep s = *(const struct sweep *)context;
    double(*of)[SCALES_MAX][FIELDS] = result;
    const size_t n = constant_length(v), constant = s.xs * n, normal = s.rows * ROW;
    s.in = case_alloc(constant * sizeof *s.in);
    s.out = case_alloc((constant > normal ? constant : normal) * sizeof *s.out);
    for (size_t i = 0; i < constant; i++) s.in[i] = s.x[i / n];
    for (enum scaled_form form = 0; form < FORM_COUNT; form++)
        for (size_t k = 0; k < s.scale_count; k++) {
            const struct scaled_request request = {form, false};
            measure_f(&s, v, form, s.scales[k], of[form][k]);
            call_kernel(&s, v, factor_of(form, s.scales[k]), &request, s.normal, s.rows, ROW);
            measure_sums(&s, of[form][k]);
        }
    free(s.in);
    free(s.out);
}

/* ---- Over builds ----------------------------------------------------------------------------- */

/* Sets of forms. */
enum {
    PRODUCT = 1 << FORM_PRODUCT,
    QUOTIENT = 1 << FORM_QUOTIENT,
    RECIPROCAL = 1 << FORM_RECIPROCAL,
    MIXED = 1 << FORM_MIXED,
    PRODUCT_STORED = 1 << FORM_PRODUCT_STORED,
    STORED = PRODUCT_STORED | 1 << FORM_QUOTIENT_STORED | 1 << FORM_RECIPROCAL_STORED,
    ONE_OPERATION = PRODUCT | QUOTIENT | RECIPROCAL | STORED, /* in every pass the same */
    ALL_FORMS = ONE_OPERATION | MIXED,
};

/* Returns the largest of a field over some forms of a build at one scale; 0: at all of them. */
static double fma_largest(const struct sweep *s, size_t build, int field, unsigned forms,
                          double scale)
{
    size_t first = scale > 0 ? scale_at(s, scale) : 0;
    size_t last = scale > 0 ? first : s->scale_count - 1;
    double most = 0;
    for (size_t form = 0; form < FORM_COUNT; form++)
        for (size_t k = first; forms >> form & 1 && k <= last; k++)
            most = fmax(most, s->of[build][form][k][field]);
    return most;
}

/* Returns whether one of the forms, which use one operation, gives anything but 1 under a build. */
static bool breaks(const struct sweep *s, size_t build, unsigned forms)
{
    return fma_largest(s, build, F_WRONG, forms, 0) > 0;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static json_t *share_text(double share)
{
    bool small = share > 0 && share < 0.001;
    return small ? json_sprintf("%.1e", share) : json_sprintf("%.3g%%", 100 * share);
}

/* The figures of a build, by their keys in the table and in the record; NULL: not there. */
static const struct shown {
    const char *key, *field_name;
    bool is_share;
    int field;
    unsigned forms;
    double scale; /* 0: all */
} shown[] = {
    {"a", NULL, false, F_ERROR, PRODUCT, 3.3},
    {"b", NULL, false, F_ERROR, PRODUCT, 3.3e3},
    {"c", "product_f_error_3.3e6", false, F_ERROR, PRODUCT, 3.3e6},
    {"d", NULL, false, F_ERROR, PRODUCT, 3.3e7},
    {"e", "product_inf_3.3e9", true, F_INF, PRODUCT, 3.3e9},
    {"f", NULL, true, F_INF, PRODUCT, 3.3e10},
    {"g", "quotient_f_error_3.3e6", false, F_ERROR, QUOTIENT, 3.3e6},
    {"h", "reciprocal_f_error_3.3e6", false, F_ERROR, RECIPROCAL, 3.3e6},
    {"i", "split", true, SPLIT, ALL_FORMS, 0},
    {"j", "mixed_f_error_1e6", false, F_ERROR, MIXED, 1e6},
    {"k", "stored_f_wrong", true, F_WRONG, STORED, 0},
    {NULL, "product_rows_nan", false, ROWS_NAN, PRODUCT, 0},
};

static void add_builds(const struct sweep *s, struct case_result *r)
{
    json_t *table = case_table(
        r,
        "Largest |f - 1| (and share of inf) of f = exp(f(x) - f(x)), recomputed in each pass, by "
        "scale; s of a quotient is its inverse",
        "cc=compiler", "isa=ISA", "policies=policies", "fma=FMA", "a=x*s: 3.3", "b=3.3e3",
        "c=3.3e6", "d=3.3e7", "e=inf at 3.3e9", "f=at 3.3e10", "g=x/s: 3.3e6", "h=x*(1/s): 3.3e6",
        "i=body unlike tail", "j=mixed: 1e6", "k=stored: f is not 1", NULL);
    for (size_t v = 0; v < s->forms.count; v++) {
        const struct variant *build = s->forms.items[v];
        const int fma = (int)build->build->counts.fma;
        char policies[CASE_POLICIES];
        bool is_line = case_policies_alike(&s->forms, v, s->of, sizeof *s->of, policies);
        json_t *row = case_row(r, build, breaks(s, v, ONE_OPERATION)), *line = NULL;
        if (is_line)
            line = case_line(table, "sssi-----------", build->cc, build->isa, policies, fma);
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            const struct shown *f = &shown[i];
            double x = fma_largest(s, v, f->field, f->forms, f->scale);
            if (f->field_name) json_object_set_new(row, f->field_name, record_real(x));
            if (f->key && line)
                json_object_set_new(line, f->key, f->is_share ? share_text(x) : record_real(x));
        }
        json_object_set_new(row, "fma", json_integer(fma));
    }
}

/* The build whose sweep is shown: under `off` the last one, else the last one that breaks. Later
 * builds have wider ISAs. */
static size_t shown_build(const struct sweep *s, const char *policy)
{
    size_t found = s->forms.count;
    for (size_t v = 0; v < s->forms.count; v++)
        if (!strcmp(s->forms.items[v]->policy, policy) &&
            (!strcmp(policy, "off") || breaks(s, v, ONE_OPERATION)))
            found = v;
    return found;
}

static void add_sweep(const struct sweep *s, struct case_result *r, size_t fused, size_t off)
{
    const struct variant *build = s->forms.items[fused];
    char caption[200];
    snprintf(caption, sizeof caption, "By scale: %s on %s under `%s`, and the mixed form under off",
             build->cc, build->isa, build->policy);
    json_t *table = case_table(r, caption, "scale=scale", "f=|f-1|, fused x*s", "inf=f is inf",
                               "nan=rows NaN", "wrong=rows wrong", "sum=|row sum - 1|",
                               "mixed=|f-1|, mixed form, off", "mixed_wrong=rows wrong", NULL);
    json_t *errors = case_curves(r, &(struct case_axes){"|exp(f(x) - f(x)) - 1| by scale", "scale",
                                                        "largest |f - 1|", true, true});
    json_t *shares = case_curves(
        r, &(struct case_axes){"Share of rows that break (NaN, inf, or a sum off by over 1e-3)",
                               "scale", "share of rows", true, false});
    const struct {
        json_t *series;
        size_t build;
        enum scaled_form form;
        int field;
    } lines[] = {
        {case_series(errors, "fused x * s"), fused, FORM_PRODUCT, F_ERROR},
        {case_series(errors, "mixed form, off"), off, FORM_MIXED, F_ERROR},
        {case_series(shares, "fused x * s"), fused, FORM_PRODUCT, ROWS_WRONG},
        {case_series(shares, "mixed form, off"), off, FORM_MIXED, ROWS_WRONG},
        {case_series(shares, "off, one operation"), off, FORM_PRODUCT, ROWS_WRONG},
    };
    for (size_t k = 0; k < s->scale_count; k++) {
        const double *p = s->of[fused][FORM_PRODUCT][k], *m = s->of[off][FORM_MIXED][k];
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            case_point(lines[i].series, s->scales[k],
                       s->of[lines[i].build][lines[i].form][k][lines[i].field]);
        case_line(table,
                  "ffooof"
                  "fo",
                  s->scales[k], p[F_ERROR], share_text(p[F_INF]), share_text(p[ROWS_NAN]),
                  share_text(p[ROWS_WRONG]), p[SUM_ERROR], m[F_ERROR], share_text(m[ROWS_WRONG]));
    }
}

/* ---- scaledsafe: scale * (x - max) ----------------------------------------------------------- */

static void check_safe(const struct sweep *s, struct case_result *r)
{
    double worst[FIELDS] = {0};
    if (!s->safe.count) return;
    for (size_t v = 0; v < s->safe.count; v++)
        for (size_t k = 0; k < s->scale_count && s->safe.same[v] == v; k++) {
            double p[FIELDS] = {0};
            call_kernel(s, s->safe.items[v], (float)s->scales[k], NULL, s->normal, s->rows, ROW);
            measure_sums(s, p);
            for (size_t i = 0; i < FIELDS; i++) worst[i] = fmax(worst[i], p[i]);
        }
    case_check_number(r, worst[SUM_ERROR], 0, 1e-5,
                      "scaledsafe, every build and scale: |row sum - 1|");
    case_check_number(r, worst[ROWS_NAN], 0, 0, "scaledsafe: rows with NaN or inf");
}

/* ---- Verdict --------------------------------------------------------------------------------- */

/* The range of a figure, the largest over the builds of a policy. */
static const struct expected {
    const char *policy;
    int field;
    unsigned forms;
    double scale, low, high; /* scale 0: all */
    const char *what;
} expectations[] = {
    {"off", F_WRONG, ONE_OPERATION, 0, 0, 0,
     "off, one operation in every pass: share of f that is not exactly 1"},
    {"fast", F_ERROR, PRODUCT, 3.3, 1e-7, 2.4e-7,
     "contracted x*s: |f - 1| at scale 3.3 (reported 1.2e-7)"},
    {"fast", F_ERROR, PRODUCT, 3.3e3, 1e-4, 1.3e-4, "at 3.3e3 (1.2e-4)"},
    {"fast", F_ERROR, PRODUCT, 3.3e6, 0.12, 0.14, "at 3.3e6 (0.13)"},
    {"fast", F_ERROR, PRODUCT, 3.3e7, 1.6, 1.8, "at 3.3e7 (1.7)"},
    {"fast", F_INF, PRODUCT, 3.3e9, 0.03, 0.08, "share of inf at 3.3e9 (5%)"},
    {"fast", F_INF, PRODUCT, 3.3e10, 0.33, 0.43, "at 3.3e10 (38%)"},
    {"fast", ROWS_NAN, PRODUCT, 1e10, 0.05, 1, "rows of a scaled tensor that become NaN at 1e10"},
    {"fast", F_ERROR, RECIPROCAL, 3.3e6, 0.12, 0.14, "contracted x*(1/s): |f - 1| at 3.3e6"},
    {"fast", F_ERROR, PRODUCT_STORED, 0, 0, 0,
     "scores stored before the maximum, contracted: |f - 1|"},
    {"off", F_ERROR, MIXED, 1e6, 0.05, 0.08,
     "mixed x/s and x*(1/s) under off: |f - 1| at 1e-6 (0.06)"},
    {"off", F_ERROR, MIXED, 1e9, 1e26, 1e30, "at 1e-9 (6e27)"},
};

static void check_expectations(const struct sweep *s, struct case_result *r)
{
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expected *e = &expectations[i];
        double most = NAN;
        for (size_t v = 0; v < s->forms.count; v++)
            if (!strcmp(s->forms.items[v]->policy, e->policy))
                most = fmax(most, fma_largest(s, v, e->field, e->forms, e->scale));
        case_check_number(r, most, e->low, e->high, "%s", e->what);
    }
}

/* The finite row sums of the mixed form under a policy, for rows of normals divided by 1e-6 as in
 * one of the reports. */
static void report_sums(const struct sweep *s, const char *policy, double all[FIELDS])
{
    static const size_t rows[] = {[CASE_QUICK] = 256, [CASE_DEFAULT] = 2048, [CASE_FULL] = 8192};
    const struct scaled_request request = {FORM_MIXED, false};
    struct sweep r = *s;
    all[SUM_LOW] = INFINITY, all[SUM_HIGH] = -INFINITY, all[ROWS_WRONG] = 0;
    r.rows = rows[s->context->effort];
    r.normal = case_inputs(FAMILY_NORMAL, DOMAIN_EXPONENT, s->context->seed, r.rows, ROW);
    r.out = case_alloc(r.rows * ROW * sizeof *r.out);
    for (size_t v = 0; v < s->forms.count; v++) {
        double p[FIELDS] = {0};
        if (strcmp(s->forms.items[v]->policy, policy) || s->forms.same[v] < v) continue;
        call_kernel(&r, s->forms.items[v], 1e-6f, &request, r.normal, r.rows, ROW);
        measure_sums(&r, p);
        all[SUM_LOW] = fmin(all[SUM_LOW], p[SUM_LOW]);
        all[SUM_HIGH] = fmax(all[SUM_HIGH], p[SUM_HIGH]);
        all[ROWS_WRONG] = fmax(all[ROWS_WRONG], p[ROWS_WRONG]);
    }
}

/* Checks the mixed form. Without contraction the scores of the two operations are equal or
 * neighbouring floats. The sums are then 1 or, for scores whose neighbours are 1/4 apart,
 * exp(-1/4). */
static void check_mixed(const struct sweep *s, struct case_result *r)
{
    double off[FIELDS], fast[FIELDS];
    report_sums(s, "off", off);
    report_sums(s, "fast", fast);
    case_check_number(r, off[SUM_LOW], 0.75, 0.8,
                      "rows of normals / 1e-6, mixed, under off: least row sum (0.77)");
    case_check_number(r, off[ROWS_WRONG], 1e-3, 0.2, "share of rows whose sum is off by over 1e-3");
    case_check_number(r, fast[SUM_LOW], 0.75, 0.9, "the same contracted: least row sum (0.77)");
    case_check_number(r, fast[SUM_HIGH], 1.1, 1.3, "largest row sum (1.2)");
    case_check_number(r, fast[ROWS_WRONG], 0.5, 1,
                      "contracted: share of rows whose sum is off by over 1e-3");
}

/* Checks which compilers break x * scale by default: gcc everywhere; clang from 14 on, and only
 * where the source is an expression of plain C, as in the scalar vocabulary. */
static void check_defaults(const struct sweep *s, struct case_result *r)
{
    json_t *table = case_table(r, "The compilers' defaults (-std=gnu11, nothing said)",
                               "cc=compiler", "isa=ISA", "fma=FMA instructions",
                               "breaks=its default breaks x*s", "quotient=breaks x/s", NULL);
    for (size_t v = 0; v < s->forms.count; v++) {
        const struct variant *build = s->forms.items[v];
        bool expected = case_cc_is(build->cc, "gcc") ||
                        (!strcmp(build->isa, "scalar") && default_fuses_expressions(build->cc));
        bool broken = breaks(s, v, PRODUCT);
        if (strcmp(build->policy, "default")) continue;
        case_line(table, "ssioo", build->cc, build->isa, (int)build->build->counts.fma,
                  json_boolean(broken), json_boolean(breaks(s, v, QUOTIENT)));
        case_check_yes(r, broken, expected, "the default of %s breaks x*s (%s)", build->cc,
                       build->isa);
    }
}

enum { PRICE_ROWS = 16, PRICE_N = 512 };

/* The time of a build relative to another; pairs 0: not measured. */
static struct case_ratio measure_ratio(const struct sweep *s, const struct variant *a,
                                       const struct variant *b)
{
    struct job job = case_job(PRICE_ROWS, PRICE_N, s->normal, s->out, PRICE_N);
    job.scale = 0.125f;
    return a ? case_ratio(s->context, a, b, job) : (struct case_ratio){.pairs = 0};
}

/* The remedies, and both together, relative to softmax/scaled under fast, per compiler and vector
 * ISA. The price is that on the widest ISA. */
static void fma_price(const struct sweep *s, struct case_result *r)
{
    struct case_variants scaled = case_variants(s->context, "softmax", "scaled", NULL);
    json_t *table =
        case_table(r,
                   "Prices: time over that of softmax/scaled under fast, 16 rows of 512, "
                   "median of pairs in turns [95%]",
                   "cc=compiler", "isa=ISA", "off=-ffp-contract=off",
                   "safe=scale * (x - max), fast", "both=scale * (x - max), off", NULL);
    for (size_t v = 0; v < scaled.count; v++) {
        const struct variant *fast = scaled.items[v];
        if (strcmp(fast->policy, "fast") || !strcmp(fast->isa, "scalar")) continue;
        const struct variant *remedies[] = {case_pick(&scaled, fast->isa, fast->cc, "off"),
                                            case_pick(&s->safe, fast->isa, fast->cc, "fast"),
                                            case_pick(&s->safe, fast->isa, fast->cc, "off")};
        struct case_ratio off = measure_ratio(s, remedies[0], fast);
        struct case_ratio safe = measure_ratio(s, remedies[1], fast);
        struct case_ratio both = measure_ratio(s, remedies[2], fast);
        case_line(table, "ssooo", fast->cc, fast->isa, case_ratio_text(&off, 3),
                  case_ratio_text(&safe, 3), case_ratio_text(&both, 3));
        if (off.pairs && safe.pairs)
            case_price(r,
                       "-ffp-contract=off takes %.3f times [%.3f, %.3f] as long as fast; scale * "
                       "(x - max) under fast %.3f times [%.3f, %.3f], and never breaks "
                       "(softmax/scaled, %s, %s, %dx%d; the others in the table)",
                       off.ratio, off.low, off.high, safe.ratio, safe.low, safe.high, fast->cc,
                       fast->isa, PRICE_ROWS, PRICE_N);
    }
}

static void run(const struct case_context *c, struct case_result *r)
{
    struct sweep s;
    sweep_open(&s, c);
    s.of = case_measure(&s.forms, sizeof *s.of, sweep_variant, &s);
    size_t fused = shown_build(&s, "fast"), off = shown_build(&s, "off");
    if (fused == s.forms.count || off == s.forms.count) {
        case_skip(r, "needs softmax/scaledforms under off and fast, of which one cannot run here");
        return;
    }
    check_expectations(&s, r);
    check_mixed(&s, r);
    check_safe(&s, r);
    add_builds(&s, r);
    add_sweep(&s, r, fused, off);
    check_defaults(&s, r);
    fma_price(&s, r);
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
