// SPDX-License-Identifier: MIT
/* One ulp of error in log2 changes the E8M0 code by a whole step, and a fused GELU before it
 * changes codes where it cancels. Encoders: simd/studies/e8m0_*.c; GELUs:
 * simd/studies/erfgelu_*.c. */
// kernels: e8m0_% erfgelu_% gelu_own
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "cases/case.h"

enum { ROW = 4096, BINADES = 254, BINADE = 1 << 23, CODES = 256 };
static const float floor_eps = 1e-7f; /* |x| + 1e-7 */

/* The ISAs an encoder is built for, narrowest first. */
static const char *const isas[] = {"scalar", "avx2", "avx512"};
enum { ISAS = sizeof isas / sizeof *isas };

static const struct encoder {
    const char *algorithm, *words;
    /* Wrong codes of all positive normal floats under `off`. A correctly rounded log2 has 3654. */
    double wrong;
} encoders[] = {
    {"sleef", "log2: SLEEF, 1.0 ulp", 3654},
    {"sleefu35", "log2: SLEEF, 3.5 ulp", 3654},
    {"own", "log2: own", 3654},
    {"libm", "log2f: C library", 3654},
    {"bits", "exponent and mantissa bits", 0},
};
enum { ENCODERS = sizeof encoders / sizeof *encoders };

/* ---- Exact codes ----------------------------------------------------------------------------- */

/* clamp(ceil(log2 v), -127, 127) + 127 of v + rest, v > 0 and |rest| far below v's last bit. */
static uint8_t exact_code(double v, double rest)
{
    int e;
    bool power = frexp(v, &e) == 0.5;
    int c = power && rest <= 0 ? e - 1 : e;
    return (uint8_t)((c < -127 ? -127 : c > 127 ? 127 : c) + 127);
}

/* The code of |x| + eps rounded to f32, as the kernels compute it; and of the exact sum. */
static uint8_t code_of_rounded_sum(float x, float eps)
{
    float v = x + eps;
    return exact_code((double)v, 0);
}

static uint8_t code_of_exact_sum(float x, float eps)
{
    double a = (double)x, b = (double)eps, v = a + b; /* Knuth's TwoSum */
    double part = v - a;
    return exact_code(v, (a - (v - part)) + (b - part));
}

/* The exact codes of ascending x. Sum and code are monotone, so that equal codes at both ends
 * decide all between. */
static void e8m0_exact_row(const float *x, float eps, uint8_t (*code)(float, float), uint8_t *want)
{
    uint8_t first = code(x[0], eps);
    if (first == code(x[ROW - 1], eps))
        memset(want, first, ROW);
    else
        for (size_t i = 0; i < ROW; i++) want[i] = code(x[i], eps);
}

/* ---- Encoders over positive normal floats ---------------------------------------------------- */

struct wrong {
    uint64_t inputs, count, high; /* high: codes that are too large */
    uint64_t by_binade[BINADES];
    uint32_t farthest; /* the largest distance from the power of two below, in floats */
    float first;       /* the smallest input with a wrong code */
};

/* whole: all rows of ROW floats. Otherwise the row before and the row after each power of two that
 * |x| + eps passes: only there can a code be wrong, as a whole scan shows. */
struct scan {
    const struct variant *variant;
    float eps;
    bool whole;
};

static size_t e8m0_rows_of(const struct scan *s)
{
    return s->whole ? (size_t)BINADES * BINADE / ROW : 2 * BINADES;
}

/* The bits of the row's first float, or 0 if the row has no positive normal floats. */
static uint32_t row_begin(const struct scan *s, size_t row)
{
    if (s->whole) return BINADE + (uint32_t)row * ROW;
    double x = (double)float_of_bits((uint32_t)(row / 2 + 1) * BINADE) - (double)s->eps;
    uint32_t first = x > 0 ? bits_of_float((float)x) : 0;
    if (row % 2 == 0) first = first > ROW ? first - ROW : 0;
    return first < BINADE ? 0 : first;
}

static bool fill_row(const struct scan *s, size_t row, float *x)
{
    uint32_t first = row_begin(s, row);
    for (uint32_t i = 0; i < ROW; i++) x[i] = float_of_bits(first + i);
    return first > 0;
}

static void count_wrong(struct wrong *w, float x, float eps, bool high)
{
    uint32_t v = bits_of_float(x + eps);
    if (!w->count) w->first = x;
    w->count++;
    w->high += high;
    w->by_binade[v / BINADE - 1]++;
    if (v % BINADE > w->farthest) w->farthest = v % BINADE;
}

static void e8m0_encode(const struct variant *encoder, const float *x, float eps, uint8_t *y)
{
    case_call(encoder, (struct job){.rows = 1, .n = ROW, .x = x, .y = y, .eps = eps});
}

static void e8m0_scan_row(const struct scan *s, size_t row, struct wrong *w)
{
    float x[ROW];
    uint8_t got[ROW] = {0}, want[ROW];
    if (!fill_row(s, row, x)) return;
    e8m0_encode(s->variant, x, s->eps, got);
    e8m0_exact_row(x, s->eps, code_of_rounded_sum, want);
    w->inputs += ROW;
    if (!memcmp(got, want, ROW)) return;
    for (size_t i = 0; i < ROW; i++)
        if (got[i] != want[i]) count_wrong(w, x[i], s->eps, got[i] > want[i]);
}

static void wrong_merge(struct wrong *all, const struct wrong *part)
{
    if (part->count && (!all->count || part->first < all->first)) all->first = part->first;
    all->inputs += part->inputs;
    all->count += part->count;
    all->high += part->high;
    for (size_t b = 0; b < BINADES; b++) all->by_binade[b] += part->by_binade[b];
    if (part->farthest > all->farthest) all->farthest = part->farthest;
}

#pragma omp declare reduction(merge : struct wrong : wrong_merge(&omp_out, &omp_in))

static struct wrong scan_encoder(const struct scan *s)
{
    struct wrong all = {0};
    size_t rows = e8m0_rows_of(s);
#pragma omp parallel for schedule(dynamic, 64) reduction(merge : all)
    for (size_t row = 0; row < rows; row++) e8m0_scan_row(s, row, &all);
    return all;
}

/* The wrong codes of a correctly rounded log2: the floats above 2^e whose logarithm rounds to e.
 * Above 2^127 the code is clamped and cannot be wrong. */
static uint64_t predict(uint64_t by_binade[BINADES])
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < BINADES; b++) {
        uint32_t power = (b + 1) * BINADE, x = power + 1;
        float e = (float)log2((double)float_of_bits(power));
        while (e < 127 && (float)log2((double)float_of_bits(x)) == e) x++;
        by_binade[b] = x - power - 1;
        sum += by_binade[b];
    }
    return sum;
}

/* Counts the codes that depend on whether |x| + 1e-7 is rounded before its logarithm is taken. */
static uint64_t sums_that_matter(bool whole)
{
    const struct scan s = {.eps = floor_eps, .whole = whole};
    uint64_t count = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : count)
    for (size_t row = 0; row < e8m0_rows_of(&s); row++) {
        float x[ROW];
        uint8_t rounded[ROW], exact[ROW];
        if (!fill_row(&s, row, x)) continue;
        e8m0_exact_row(x, floor_eps, code_of_rounded_sum, rounded);
        e8m0_exact_row(x, floor_eps, code_of_exact_sum, exact);
        for (size_t i = 0; memcmp(rounded, exact, ROW) && i < ROW; i++)
            count += rounded[i] != exact[i];
    }
    return count;
}

/* ---- GELU in front of the encoder ------------------------------------------------------------ */

/* The inputs of the GELUs: every multiple of `step` in [-8, 8); normals, as many as in the report;
 * every float in [-8, 8]. */
enum { SPAN = 8, INTERVALS = 4 * 2 * SPAN, REPORTED_ELEMENTS = 4 * 128 * 32 * 32 };
struct points {
    enum { GRID, NORMALS, FLOATS } kind;
    double step;
    uint64_t seed;
    size_t count;
};

/* Fine for the widest ISA, coarse for the others, which are slower and give the same. */
static struct points grid(enum case_effort effort, bool fine)
{
    static const double steps[][2] = {[CASE_QUICK] = {0x1p-14, 0x1p-14},
                                      [CASE_DEFAULT] = {0x1p-17, 0x1p-20},
                                      [CASE_FULL] = {0x1p-20, 0x1p-22}};
    double step = steps[effort][fine];
    return (struct points){.kind = GRID, .step = step, .count = (size_t)(2 * SPAN / step)};
}

static struct points every_float(void)
{
    return (struct points){.kind = FLOATS, .count = 2 * (size_t)bits_of_float(SPAN)};
}

static const char *points_words(const struct points *p)
{
    return p->kind == GRID ? "[-8, 8), evenly" : p->kind == FLOATS ? "[-8, 8], all" : "normals";
}

static void fill_points(const struct points *p, size_t row, float *x)
{
    if (p->kind == NORMALS) {
        inputs_row(FAMILY_NORMAL, DOMAIN_EXPONENT, p->seed, row, ROW, x);
        return;
    }
    for (size_t i = 0; i < ROW; i++) {
        size_t k = row * ROW + i;
        if (p->kind == GRID)
            x[i] = (float)((double)k * p->step - SPAN);
        else
            x[i] = float_of_bits((uint32_t)(k / 2)) * (k % 2 ? -1.0f : 1.0f);
    }
}

/* The distance between two forms of the same GELU, in floats and in codes. */
struct apart {
    uint64_t inputs, floats, codes, code_sum;
    uint64_t by_distance[CODES];
    uint64_t by_interval[INTERVALS]; /* by interval of x, in codes */
    double float_distance, float_at;
    double rightmost[CODES]; /* by distance: the largest x whose codes are that far apart */
    unsigned unfloored;      /* the largest distance of codes without + 1e-7 */
};

struct pair {
    const struct variant *a, *b; /* two GELUs; b NULL: the exact one, rounded to f32 */
    const struct variant *encoder;
};

static float exact_gelu(float x)
{
    return (float)(0.5 * (double)x * erfc(-(double)x * M_SQRT1_2));
}

static void apply(const struct variant *gelu, const float *x, float *y)
{
    if (gelu)
        case_call(gelu, case_job(1, ROW, x, y, ROW));
    else
        for (size_t i = 0; i < ROW; i++) y[i] = exact_gelu(x[i]);
}

static unsigned distance(uint8_t a, uint8_t b)
{
    return a > b ? a - b : b - a;
}

static size_t interval_of(double x)
{
    double i = floor((x + SPAN) * INTERVALS / (2.0 * SPAN));
    return i < 0 ? 0 : i >= INTERVALS ? INTERVALS - 1 : (size_t)i;
}

static void count_codes(struct apart *s, double x, unsigned codes)
{
    if (x > s->rightmost[codes]) s->rightmost[codes] = x;
    s->by_distance[codes]++;
    s->by_interval[interval_of(x)]++;
    s->codes++;
    s->code_sum += codes;
}

static void compare_row(const struct pair *p, const float *x, struct apart *s)
{
    float a[ROW], b[ROW];
    uint8_t code_a[ROW], code_b[ROW], bare_a[ROW], bare_b[ROW];
    apply(p->a, x, a);
    apply(p->b, x, b);
    s->inputs += ROW;
    e8m0_encode(p->encoder, a, floor_eps, code_a);
    e8m0_encode(p->encoder, b, floor_eps, code_b);
    e8m0_encode(p->encoder, a, 0, bare_a);
    e8m0_encode(p->encoder, b, 0, bare_b);
    for (size_t i = 0; i < ROW; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        if (d == 0) continue;
        s->floats++;
        if (d > s->float_distance || (d == s->float_distance && (double)x[i] < s->float_at)) {
            s->float_distance = d;
            s->float_at = (double)x[i];
        }
        unsigned codes = distance(code_a[i], code_b[i]), bare = distance(bare_a[i], bare_b[i]);
        if (codes) count_codes(s, (double)x[i], codes);
        if (bare > s->unfloored) s->unfloored = bare;
    }
}

static void apart_begin(struct apart *s)
{
    *s = (struct apart){0};
    for (size_t d = 0; d < CODES; d++) s->rightmost[d] = -INFINITY;
}

static void apart_merge(struct apart *all, const struct apart *part)
{
    all->inputs += part->inputs;
    all->floats += part->floats;
    all->codes += part->codes;
    all->code_sum += part->code_sum;
    for (size_t d = 0; d < CODES; d++) {
        all->by_distance[d] += part->by_distance[d];
        if (part->rightmost[d] > all->rightmost[d]) all->rightmost[d] = part->rightmost[d];
    }
    for (size_t i = 0; i < INTERVALS; i++) all->by_interval[i] += part->by_interval[i];
    if (part->float_distance > all->float_distance ||
        (part->float_distance == all->float_distance && part->float_at < all->float_at)) {
        all->float_distance = part->float_distance;
        all->float_at = part->float_at;
    }
    if (part->unfloored > all->unfloored) all->unfloored = part->unfloored;
}

#pragma omp declare reduction(merge                                                                \
                              : struct apart                                                       \
                              : apart_merge(&omp_out, &omp_in))                                    \
    initializer(apart_begin(&omp_priv))

static struct apart e8m0_compare(const struct pair *p, const struct points *points)
{
    struct apart all;
    apart_begin(&all);
#pragma omp parallel for schedule(dynamic, 8) reduction(merge : all)
    for (size_t row = 0; row < points->count / ROW; row++) {
        float x[ROW];
        fill_points(points, row, x);
        compare_row(p, x, &all);
    }
    return all;
}

static unsigned worst_code(const struct apart *s)
{
    unsigned d = CODES - 1;
    while (d && !s->by_distance[d]) d--;
    return d;
}

/* The largest distance of codes that a difference of floats can cause: with + 1e-7 no value is
 * below 2^-24, and those below 2^-23 have the code of 2^-23. */
static unsigned code_distance_of(double float_distance)
{
    return (unsigned)ceil(log2(1 + float_distance * 0x1p23));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

struct study {
    const struct case_context *context;
    struct case_result *result;
    const char *widest; /* ISA */
    json_t *encoder_rows, *gelu_rows;
};

/* Returns whether a variant is scanned as a whole: in a full run, one build under `off` on every
 * ISA. Such a scan shows that the rows around powers of two hold all wrong codes, so that these
 * rows are enough for the other builds, and for other runs. */
static bool scans_whole(const struct study *s, const struct case_variants *all,
                        const struct variant *v)
{
    return s->context->effort == CASE_FULL && v == case_pick(all, v->isa, NULL, "off");
}

/* An encoder's wrong codes for x, and for |x| + 1e-7. */
struct both {
    struct wrong bare, floored;
};

static bool is_same_but_for_inputs(const struct both *a, const struct both *b)
{
    return a->bare.count == b->bare.count && a->bare.high == b->bare.high &&
           a->bare.farthest == b->bare.farthest && a->bare.first == b->bare.first &&
           a->floored.count == b->floored.count;
}

static json_t *first_wrong(const struct wrong *w)
{
    return w->count ? record_hex((double)w->first) : json_null();
}

/* Adds a row for all builds of an ISA with the same figures, unless an earlier one is among them;
 * the record has a row for each build. */
static void add_encoder(const struct study *s, const struct encoder *e,
                        const struct case_variants *v, const struct both *all, size_t i,
                        bool broken)
{
    const struct wrong *bare = &all[i].bare;
    const uint64_t floored = all[i].floored.count;
    uint64_t inputs = 0;
    size_t first = v->count, builds = 0;
    json_object_update_new(case_row(s->result, v->items[i], broken),
                           json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:I}", "encoder", e->words,
                                     "inputs", (json_int_t)bare->inputs, "wrong",
                                     (json_int_t)bare->count, "too_high", (json_int_t)bare->high,
                                     "farthest", (json_int_t)bare->farthest, "first",
                                     first_wrong(bare), "wrong_floored", (json_int_t)floored));
    for (size_t k = 0; k < v->count; k++) {
        if (strcmp(v->items[k]->isa, v->items[i]->isa) || !is_same_but_for_inputs(&all[k], &all[i]))
            continue;
        if (!builds++) first = k;
        if (all[k].bare.inputs > inputs) inputs = all[k].bare.inputs;
    }
    if (first == i)
        case_line(s->encoder_rows, "ssnnnnnon", e->words, v->items[i]->isa, (uint64_t)builds,
                  inputs, bare->count, bare->high, (uint64_t)bare->farthest, first_wrong(bare),
                  floored);
}

static void draw(json_t *curves, const char *name, const uint64_t by_binade[BINADES])
{
    json_t *series = case_series(curves, name);
    for (int b = 0; b < BINADES; b++) case_point(series, b - 126, (double)by_binade[b]);
}

/* Scans all variants of one algorithm. The checks are of the widest ISA under `off`. */
static void study_encoder(const struct study *s, const struct encoder *e, json_t *curves)
{
    struct case_variants v = case_variants(s->context, "e8m0", e->algorithm, NULL);
    const struct variant *chosen = case_pick(&v, s->widest, NULL, "off");
    struct both *all = case_alloc(v.count * sizeof *all);
    for (size_t i = 0; i < v.count; i++) {
        struct scan scan = {v.items[i], 0, scans_whole(s, &v, v.items[i])};
        all[i] = all[v.same[i]];
        if (v.same[i] != i) continue;
        all[i].bare = scan_encoder(&scan);
        scan.eps = floor_eps;
        all[i].floored = scan_encoder(&scan);
    }
    for (size_t i = 0; i < v.count; i++) {
        const struct variant *off = case_pick(&v, v.items[i]->isa, v.items[i]->cc, "off");
        size_t o = 0;
        while (off && v.items[o] != off) o++;
        add_encoder(s, e, &v, all, i, off && all[i].bare.count > all[o].bare.count);
        if (v.items[i] != chosen) continue;
        case_check_number(s->result, (double)all[i].bare.count, e->wrong, e->wrong,
                          "wrong codes, %s", e->words);
        case_check_number(s->result, (double)all[i].bare.high, 0, 0, "too large codes, %s",
                          e->words);
        draw(curves, e->words, all[i].bare.by_binade);
    }
}

static void study_encoders(struct study *s)
{
    uint64_t predicted[BINADES];
    s->encoder_rows = case_table(
        s->result,
        "Codes of positive normal floats against the exact ceil(log2 v), v = x, and v = x + 1e-7 "
        "rounded to f32. 2,130,706,432 inputs are all there are; fewer: those within 4096 floats "
        "of a power of two",
        "encoder=encoder", "isa=ISA", "builds=builds", "inputs=inputs", "wrong=wrong codes",
        "too_high=of these too large", "farthest=farthest above a power of two, floats",
        "first=smallest wrong input", "wrong_floored=wrong codes of |x| + 1e-7", NULL);
    json_t *curves = case_curves(
        s->result, &(struct case_axes){.title = "Wrong codes above 2^e: a logarithm rounded to f32 "
                                                "is the whole number e for this many floats",
                                       .x_label = "e",
                                       .y_label = "wrong codes"});
    case_check_number(s->result, (double)predict(predicted), 3654, 3654,
                      "wrong codes of a correctly rounded log2, predicted");
    draw(curves, "a correctly rounded log2, predicted", predicted);
    for (size_t i = 0; i < ENCODERS; i++) study_encoder(s, &encoders[i], curves);
    uint64_t sums = sums_that_matter(s->context->effort == CASE_FULL);
    case_check(s->result, "some: the bits are exact for the rounded sum",
               json_integer((json_int_t)sums), sums > 0,
               "codes that depend on rounding |x| + 1e-7 before the logarithm");
}

/* ---- GELU: pairs ----------------------------------------------------------------------------- */

static json_t *histogram(const struct apart *s)
{
    char text[200] = "";
    size_t used = 0;
    for (unsigned d = 1; d < CODES && used + 40 < sizeof text; d++)
        if (s->by_distance[d])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u: %llu",
                                     used ? ", " : "", d, (unsigned long long)s->by_distance[d]);
    return json_string(used ? text : "none");
}

static const char *gelu_words(const struct variant *v)
{
    static const char *const words[][2] = {{"steps", "unfused"},
                                           {"fma", "last step fused"},
                                           {"inline", "erf inlined"},
                                           {"own", "without cancellation"}};
    for (size_t i = 0; v && i < sizeof words / sizeof *words; i++)
        if (!strcmp(v->algorithm, words[i][0])) return words[i][1];
    return "exact";
}

static struct apart add_pair(const struct study *s, const struct pair *p,
                             const struct points *points)
{
    struct apart a = e8m0_compare(p, points);
    const struct variant *v = p->a;
    unsigned worst = worst_code(&a);
    json_t *line =
        case_line(s->gelu_rows, "ssssssnnfonofioi", v->isa, v->cc, v->policy, gelu_words(v),
                  gelu_words(p->b), points_words(points), a.inputs, a.floats, a.float_distance,
                  a.floats ? json_real(a.float_at) : json_null(), a.codes, histogram(&a),
                  (double)a.code_sum / (double)a.inputs, (int)code_distance_of(a.float_distance),
                  worst > 1 ? json_real(a.rightmost[worst]) : json_null(), (int)a.unfloored);
    json_t *row = case_row(s->result, v, false);
    json_object_update(row, line);
    json_object_update_missing(line, row); /* `broken` */
    return a;
}

static void draw_intervals(json_t *curves, const char *name, const struct apart *a)
{
    json_t *series = case_series(curves, name);
    double width = 2.0 * SPAN / INTERVALS, each = (double)a->inputs / INTERVALS;
    for (size_t i = 0; i < INTERVALS; i++)
        case_point(series, ((double)i + 0.5) * width - SPAN, (double)a->by_interval[i] / each);
}

/* Compares two GELUs on the grid, in a full run and where they are drawn on all floats. curves:
 * NULL if this is not the widest ISA; series: NULL if the pair is not drawn. */
static struct apart study_pair(const struct study *s, const struct pair *p, json_t *curves,
                               const char *series)
{
    const enum case_effort effort = s->context->effort;
    const struct points points = grid(effort, curves != NULL), all = every_float();
    struct apart apart = add_pair(s, p, &points);
    if (series && curves) draw_intervals(curves, series, &apart);
    if (series && curves && effort == CASE_FULL) add_pair(s, p, &all);
    return apart;
}

static const struct variant *gelu_of(const struct study *s, const char *op, const char *algorithm,
                                     const char *isa)
{
    const struct case_variants v = case_variants(s->context, op, algorithm, "f32");
    return case_pick(&v, isa, NULL, "off");
}

/* Compares the GELUs of one ISA; returns how far they are from the unfused one. */
static struct apart study_isa(const struct study *s, const char *isa, const struct variant *encoder,
                              json_t *curves)
{
    const struct case_variants inlined = case_variants(s->context, "erfgelu", "inline", NULL);
    const struct variant *first = case_pick(&inlined, isa, NULL, "off");
    const struct variant *unfused = gelu_of(s, "erfgelu", "steps", isa);
    const struct variant *fused = gelu_of(s, "erfgelu", "fma", isa);
    const struct points normals = {
        .kind = NORMALS, .seed = s->context->seed, .count = REPORTED_ELEMENTS};
    struct apart worst, apart;
    apart_begin(&worst);
    if (!unfused) return worst;
    if (fused) {
        apart = study_pair(s, &(struct pair){fused, unfused, encoder}, curves,
                           "last step fused, against unfused");
        apart_merge(&worst, &apart);
    }
    for (size_t i = 0; i < inlined.count; i++) {
        const struct variant *v = inlined.items[i], *off = case_pick(&inlined, isa, v->cc, "off");
        const struct pair pair = {v, unfused, encoder};
        if (strcmp(v->isa, isa) || inlined.same[i] != i) continue;
        apart = study_pair(s, &pair, curves, v == first ? "erf inlined, against unfused" : NULL);
        apart_merge(&worst, &apart);
        if (v == first) add_pair(s, &pair, &normals);
        if (curves && off && v != off) study_pair(s, &(struct pair){v, off, encoder}, curves, NULL);
    }
    if (curves) study_pair(s, &(struct pair){unfused, NULL, encoder}, curves, NULL);
    return worst;
}

/* Counts the codes that differ if nothing cancels. */
static void study_accurate(const struct study *s, const struct variant *encoder)
{
    const struct pair pair = {gelu_of(s, "gelu", "own", s->widest), NULL, encoder};
    const struct points points = grid(s->context->effort, true);
    if (!pair.a) return;
    struct apart a = add_pair(s, &pair, &points);
    case_check_number(s->result, (double)a.codes / (double)a.inputs, 0, 1e-5,
                      "codes behind a GELU that does not cancel, share unlike exact");
}

static void check_gelu(const struct study *s, const struct apart *worst)
{
    const unsigned codes = worst_code(worst), most = code_distance_of(worst->float_distance);
    char expected[80];
    case_check_number(s->result, worst->float_distance, 1e-9, 1e-6,
                      "largest difference of two GELUs, floats");
    case_check(s->result, "some", json_integer((json_int_t)worst->codes), worst->codes > 0,
               "codes that differ behind them");
    snprintf(expected, sizeof expected, "2 to %u, by the floor of 1e-7", most);
    case_check(s->result, expected, json_integer(codes), codes >= 2 && codes <= most,
               "largest difference of codes");
    case_check_number(s->result, worst->rightmost[codes], -SPAN, -5,
                      "largest x where codes are that far apart");
}

static void study_gelu(struct study *s, const struct case_variants *bits)
{
    s->gelu_rows = case_table(
        s->result,
        "Two ways to x/2 (1 + erf(x / sqrt 2)), each encoded by the exact bits. At x < "
        "-5 one or two bits of 1 + erf are left: what is zero one way is 1.7e-7 the "
        "other way",
        "isa=ISA", "cc=compiler", "policy=policy", "a=GELU", "b=against", "points=at",
        "inputs=inputs", "floats=floats that differ", "float_distance=by at most", "at=at x",
        "codes=codes that differ", "histogram=codes apart: how often",
        "mean=mean difference of codes", "bound=most that the floats allow",
        "rightmost=largest x with the largest", "unfloored=largest without + 1e-7", NULL);
    json_t *curves = case_curves(
        s->result, &(struct case_axes){
                       .title = "Where codes differ: strongly negative x, where 1 + erf cancels",
                       .x_label = "x",
                       .y_label = "share of codes that differ",
                       .y_log = true});
    for (size_t i = 0; i < ISAS; i++) {
        bool widest = !strcmp(isas[i], s->widest);
        const struct variant *encoder = case_pick(bits, isas[i], NULL, "off");
        if (!encoder || (!widest && s->context->effort == CASE_QUICK)) continue;
        struct apart worst = study_isa(s, isas[i], encoder, widest ? curves : NULL);
        if (!widest) continue;
        study_accurate(s, encoder);
        check_gelu(s, &worst);
    }
}

/* ---- Price ----------------------------------------------------------------------------------- */

static void e8m0_study_times(const struct study *s, const struct case_variants *bits)
{
    json_t *rows = case_table(s->result, "Time of an encoder in turns with the bits', in L1",
                              "encoder=encoder", "isa=ISA", "cc=compiler", "ns=ns per element",
                              "bits_ns=by bits", "ratio=times the bits' time [95% interval]", NULL);
    float *x = case_inputs(FAMILY_NORMAL, DOMAIN_EXPONENT, s->context->seed, 1, ROW);
    const struct job job = {.rows = 1, .n = ROW, .x = x, .y = case_alloc(ROW), .eps = floor_eps};
    char price[400] = "";
    size_t used = 0;
    for (size_t e = 0; e + 1 < ENCODERS; e++) {
        struct case_variants v = case_variants(s->context, "e8m0", encoders[e].algorithm, NULL);
        for (size_t i = 0; i < v.count; i++) {
            const struct variant *by_log = v.items[i];
            const struct variant *by_bits = case_pick(bits, by_log->isa, by_log->cc, "off");
            if (!case_is_off(by_log) || !by_bits) continue;
            struct case_ratio r = case_ratio(s->context, by_log, by_bits, job);
            case_line(rows, "sssffo", encoders[e].words, by_log->isa, by_log->cc, r.a_ns / ROW,
                      r.b_ns / ROW, case_ratio_text(&r, 2));
            if (by_log == case_pick(&v, s->widest, NULL, "off"))
                used += (size_t)snprintf(price + used, sizeof price - used,
                                         "%s%s takes %.1f times as long", used ? "; " : "",
                                         encoders[e].words, r.ratio);
        }
    }
    case_price(s->result, "less than nothing: beside the bits (%s), %s", s->widest, price);
}

static void run(const struct case_context *c, struct case_result *result)
{
    const struct case_variants bits = case_variants(c, "e8m0", "bits", NULL);
    struct study s = {.context = c, .result = result};
    for (size_t i = 0; i < ISAS; i++)
        if (case_pick(&bits, isas[i], NULL, "off")) s.widest = isas[i];
    if (!s.widest) {
        case_skip(result, "no variant of e8m0/bits under off is in this build and runs here");
        return;
    }
    study_encoders(&s);
    study_gelu(&s, &bits);
    e8m0_study_times(&s, &bits);
}

const struct case_study case_e8m0_ceil_log2 = {
    .name = "e8m0-ceil-log2",
    .title = "A discrete code amplifies one ULP",
    .reported =
        "pytorch 178045: after a GELU that the compiler fuses, float outputs agree to 4.6e-7, and "
        "the uint8 codes clamp(ceil(log2(|x| + 1e-7)), -127, 127) + 127 differ by up to 6, 1.8e-3 "
        "in the mean",
    .mechanism =
        "Just above a power of two a logarithm rounds to the whole number itself, however accurate "
        "it is, and ceil takes that at its word; and where 1 + erf cancels, two right GELUs differ "
        "by as much as their value, which is many codes where the value is small. A difference of "
        "6 codes needs floats 3.7e-6 apart: more than a fused GELU makes, so that something before "
        "it differed too",
    .remedy =
        "Read exponent and mantissa: min(biased exponent + (mantissa != 0), 254); and before it "
        "a GELU that does not cancel (gelu/own)",
    .run = run,
};
