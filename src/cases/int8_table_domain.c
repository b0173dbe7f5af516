// SPDX-License-Identifier: MIT
/* A table of 256 results, built over the wrong 256 codes. simd/studies/int8sigmoid_compute.c
 * computes the tables, and simd/studies/int8sigmoid_lookup.c looks codes up in them. */
// kernels: int8sigmoid_%
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "int8_map.h"

enum { CODES = 256, LOWEST = -128, SAMPLE = 8192 };

/* ---- Domains: the codes that the entries are computed for ------------------------------------ */

static const struct quantized {
    const char *name;
    struct quantization in, out;
} quantized[] = {
    {"full range", {0.05f, 0, -128, 127}, {0x1p-8f, -128, -128, 127}},
    {"reported: qmin = -127", {0x1.8p-5f, 0, -127, 127}, {0x1p-8f, -128, -128, 127}},
    {"qmin = -127, coarse", {0.1f, -20, -127, 127}, {0x1p-8f, -128, -128, 127}},
    {"qmin = -127 on both sides", {0.03f, 10, -127, 127}, {1 / 254.0f, -127, -127, 127}},
    {"one code less at the top", {0.02f, -5, -128, 126}, {0x1p-8f, -128, -128, 127}},
    {"narrow", {0.08f, 7, -100, 100}, {0x1p-8f, -128, -128, 127}},
    {"not negative", {0.0625f, 0, 0, 127}, {1 / 255.0f, -128, -128, 127}},
    {"four bits", {0.5f, 1, -8, 7}, {0x1p-8f, -128, -128, 127}},
};
enum { QUANTIZED = sizeof quantized / sizeof *quantized, REPORTED = 1 };

static int int8_clamp(int q, int low, int high)
{
    return q < low ? low : q > high ? high : q;
}

typedef void domain(const struct quantization *in, int8_t codes[CODES]);

/* torch.linspace(low, high, 256, dtype=torch.int8): from both ends, in double, truncated to
 * integers. */
static void linspace_codes(const struct quantization *in, int8_t codes[CODES])
{
    double step = (double)(in->high - in->low) / (CODES - 1);
    for (int i = 0; i < CODES; i++)
        codes[i] = (int8_t)(i < CODES / 2 ? in->low + step * i : in->high - step * (CODES - 1 - i));
}

static void canonical_codes(const struct quantization *in, int8_t codes[CODES])
{
    (void)in;
    for (int i = 0; i < CODES; i++) codes[i] = (int8_t)(LOWEST + i);
}

static void clamped_codes(const struct quantization *in, int8_t codes[CODES])
{
    for (int i = 0; i < CODES; i++) codes[i] = (int8_t)int8_clamp(LOWEST + i, in->low, in->high);
}

enum { LINSPACE, CANONICAL, CLAMPED, DOMAINS };
static domain *const domains[DOMAINS] = {linspace_codes, canonical_codes, clamped_codes};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Computes a table by the kernel, without its clamp: the domain decides about codes outside the
 * range. */
static void build_table(const struct variant *compute, const struct quantized *q, domain *domain,
                        int8_t table[CODES])
{
    struct int8_map map = {.in = q->in, .out = q->out};
    int8_t codes[CODES];
    domain(&q->in, codes);
    map.in.low = LOWEST;
    map.in.high = LOWEST + CODES - 1;
    case_call(compute,
              (struct job){.rows = 1, .n = CODES, .x = codes, .y = table, .operand = &map});
}

/* The right entry, in fp64: in a quantized network no code outside the range reaches the
 * function. */
static int8_t exact_entry(const struct quantized *q, int code)
{
    double t = (int8_clamp(code, q->in.low, q->in.high) - q->in.zero_point) * (double)q->in.scale;
    double s = rint(1 / (1 + exp(-t)) / (double)q->out.scale) + q->out.zero_point;
    return (int8_t)fmin(fmax(s, q->out.low), q->out.high);
}

struct difference {
    int count, largest;
};

static struct difference difference_of(const struct quantized *q, const int8_t table[CODES])
{
    struct difference d = {0, 0};
    for (int i = 0; i < CODES; i++) {
        int by = abs(table[i] - exact_entry(q, LOWEST + i));
        d.count += by > 0;
        if (by > d.largest) d.largest = by;
    }
    return d;
}

/* Entries that were computed for another code than the clamped one with which they are looked up;
 * how many of them for the next higher code; how many entries are for code 0. */
struct shift {
    int wrong, by_one, zeros;
};

static struct shift shift_of(const struct quantized *q, domain *domain)
{
    int8_t codes[CODES], right[CODES];
    struct shift s = {0, 0, 0};
    domain(&q->in, codes);
    clamped_codes(&q->in, right);
    for (int i = 0; i < CODES; i++) {
        s.wrong += codes[i] != right[i];
        s.by_one += codes[i] == right[i] + 1;
        s.zeros += codes[i] == 0;
    }
    return s;
}

struct study {
    const struct case_context *context;
    struct case_result *result;
    struct case_variants compute, lookup;
    const struct variant *chosen; /* builds the tables that decide */
};

static void draw_difference(json_t *curves, const char *name, const struct quantized *q,
                            const int8_t table[CODES])
{
    json_t *series = case_series(curves, name);
    for (int i = 0; i < CODES; i++)
        case_point(series, LOWEST + i, table[i] - exact_entry(q, LOWEST + i));
}

/* Computes the three tables of a quantization and adds its row. Returns the wrong results of the
 * clamped one. */
static int study_quantization(const struct study *s, const struct quantized *q, json_t *rows,
                              json_t *curves)
{
    const struct shift shift = shift_of(q, linspace_codes);
    struct difference d[DOMAINS];
    for (int k = 0; k < DOMAINS; k++) {
        int8_t table[CODES];
        build_table(s->chosen, q, domains[k], table);
        d[k] = difference_of(q, table);
        if (k == LINSPACE && q->in.low == -127) draw_difference(curves, q->name, q, table);
    }
    case_line(rows, "sfioiiiiiiii", q->name, (double)q->in.scale, q->in.zero_point,
              json_sprintf("%d .. %d", q->in.low, q->in.high), shift.wrong, shift.by_one,
              shift.zeros, d[LINSPACE].count, d[LINSPACE].largest, d[CANONICAL].count,
              d[CANONICAL].largest, d[CLAMPED].count);
    if (q == &quantized[REPORTED]) {
        struct case_result *r = s->result;
        case_check_number(r, shift.zeros, 2, 2, "qmin = -127: entries for code 0");
        case_check_number(r, shift.wrong, 127, 127, "qmin = -127: entries for another code");
        case_check_number(r, shift.by_one, 127, 127,
                          "qmin = -127: of these, for the next higher code");
        case_check_number(r, d[LINSPACE].count, 1, 127, "qmin = -127: wrong results by linspace");
    }
    return d[CLAMPED].count;
}

static void study_domains(const struct study *s)
{
    json_t *rows = case_table(
        s->result,
        "Sigmoid tables of 256 entries against fp64 quantize-dequantize, by the codes that their "
        "entries were computed for",
        "name=quantization", "scale=scale", "zero_point=zero point", "range=qmin .. qmax",
        "wrong_codes=linspace: entries for another code", "by_one=of these one code higher",
        "zeros=entries for code 0", "wrong=wrong results", "largest=by at most",
        "canonical_wrong=-128 .. 127: wrong results", "canonical_largest=by at most",
        "clamped_wrong=-128 .. 127, clamped: wrong results", NULL);
    json_t *curves = case_curves(
        s->result, &(struct case_axes){.title = "The linspace table's results against the right "
                                                "ones, in codes of the output",
                                       .x_label = "code",
                                       .y_label = "difference"});
    int clamped = 0;
    for (int i = 0; i < QUANTIZED; i++)
        clamped += study_quantization(s, &quantized[i], rows, curves);
    case_check_number(s->result, clamped, 0, 0, "wrong results of the canonical, clamped tables");
}

/* ---- Every build of the two kernels ---------------------------------------------------------- */

static int wrong_in_all(const struct variant *compute)
{
    int wrong = 0;
    for (int i = 0; i < QUANTIZED; i++) {
        int8_t table[CODES];
        build_table(compute, &quantized[i], clamped_codes, table);
        wrong += difference_of(&quantized[i], table).count;
    }
    return wrong;
}

static void int8_add_build(const struct study *s, const struct variant *v, bool broken,
                           const char *kernel, int wrong)
{
    json_object_update_new(case_row(s->result, v, broken),
                           json_pack("{s:s, s:i}", "kernel", kernel, "wrong", wrong));
}

static void study_compute(const struct study *s)
{
    int under_off = 0;
    for (size_t i = 0; i < s->compute.count; i++) {
        const struct variant *v = s->compute.items[i];
        const struct variant *off = case_pick(&s->compute, v->isa, v->cc, "off");
        int wrong = wrong_in_all(v);
        int8_add_build(s, v, off && wrong > 0 && wrong_in_all(off) == 0, "compute", wrong);
        if (v == off) under_off += wrong;
    }
    case_check_number(s->result, under_off, 0, 0, "wrong results of every build under off");
}

/* Counts wrong results over rows of 0 to 299 elements at all offsets in a register, and writes
 * after a row. */
static int wrong_lookups(const struct variant *v, const struct int8_map *map, const int8_t *x)
{
    enum { LENGTHS = 300, GUARD = 0x5a };
    int8_t y[LENGTHS + 1];
    int wrong = 0;
    for (size_t n = 0; n < LENGTHS; n++) {
        memset(y, GUARD, sizeof y);
        case_call(v, (struct job){.rows = 1, .n = n, .x = x + n, .y = y, .operand = map});
        for (size_t i = 0; i < n; i++) wrong += y[i] != map->table[x[n + i] - LOWEST];
        wrong += y[n] != GUARD;
    }
    return wrong;
}

/* Fills x with every code many times, in an order without a pattern. */
static void fill_codes(int8_t *x)
{
    for (uint32_t i = 0; i < SAMPLE; i++) x[i] = (int8_t)((i * 167 + i / CODES * 59) % CODES - 128);
}

static void study_lookup(const struct study *s, const struct int8_map *map, const int8_t *x)
{
    int wrong = 0;
    for (size_t i = 0; i < s->lookup.count; i++) {
        int mine = wrong_lookups(s->lookup.items[i], map, x);
        int8_add_build(s, s->lookup.items[i], mine > 0, "lookup", mine);
        wrong += mine;
    }
    case_check_number(s->result, wrong, 0, 0, "lookups unlike the table, every ISA");
}

/* ---- Time ------------------------------------------------------------------------------------ */

static const char *method_of(const char *isa)
{
    static const char *const methods[][2] = {{"scalar", "a load per code"},
                                             {"avx2", "16 pshufb and a tree of blends"},
                                             {"avx512", "vpermi2w, words and then bytes"},
                                             {"avx512vbmi", "vpermi2b"}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(isa, methods[i][0])) return methods[i][1];
    return "";
}

/* The computing kernel to compare with: the ISA's own, else AVX-512's. */
static const struct variant *computing_of(const struct study *s, const struct variant *lookup)
{
    const struct variant *v = case_pick(&s->compute, lookup->isa, lookup->cc, "off");
    return v ? v : case_pick(&s->compute, "avx512", lookup->cc, "off");
}

/* ISAs that this build has, but that this machine or --hide-isa does not allow. */
static void add_skipped_rows(const struct study *s, json_t *rows)
{
    const struct registry *r = s->context->registry;
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (!strcmp(v->op, "int8sigmoid") && !strcmp(v->algorithm, "lookup") &&
            v->status == STATUS_SKIPPED)
            case_line(rows, "sss--s", v->isa, v->cc, method_of(v->isa), v->reason);
    }
}

static void int8_study_times(const struct study *s, const struct int8_map *map, const int8_t *x)
{
    static const double bytes = 2.0 * SAMPLE;
    json_t *rows =
        case_table(s->result, "A lookup in turns with computing the sigmoid, in L1", "isa=ISA",
                   "cc=compiler", "way=lookup by", "lookup=GB/s, read and written",
                   "compute=computed", "ratio=times as fast [95% interval]", NULL);
    int8_t *y = case_alloc(SAMPLE);
    for (size_t i = 0; i < s->lookup.count; i++) {
        const struct variant *v = s->lookup.items[i], *compute = computing_of(s, v);
        if (!compute) continue;
        /* Computing over the lookup: how many times as fast the lookup is. */
        struct case_ratio r =
            case_ratio(s->context, compute, v,
                       (struct job){.rows = 1, .n = SAMPLE, .x = x, .y = y, .operand = map});
        case_line(rows, "sssffo", v->isa, v->cc, method_of(v->isa), bytes / r.b_ns, bytes / r.a_ns,
                  case_ratio_text(&r, 1));
        case_price(s->result,
                   "Nothing: the tables are equally large. A lookup (%s, %s) runs at %.1f GB/s, "
                   "%.1f times as fast as computing the sigmoid",
                   v->isa, v->cc, bytes / r.b_ns, r.ratio);
    }
    add_skipped_rows(s, rows);
}

static void run(const struct case_context *c, struct case_result *result)
{
    static const char *const isas[] = {"avx512", "avx2", "scalar"};
    struct study s = {.context = c,
                      .result = result,
                      .compute = case_variants(c, "int8sigmoid", "compute", NULL),
                      .lookup = case_variants(c, "int8sigmoid", "lookup", NULL)};
    for (size_t i = 0; i < sizeof isas / sizeof *isas && !s.chosen; i++)
        s.chosen = case_pick(&s.compute, isas[i], NULL, "off");
    if (s.chosen && s.lookup.count) {
        struct int8_map map = {.in = quantized[REPORTED].in, .out = quantized[REPORTED].out};
        build_table(s.chosen, &quantized[REPORTED], clamped_codes, map.table);
        int8_t *x = case_alloc(SAMPLE);
        fill_codes(x);
        study_domains(&s);
        study_compute(&s);
        study_lookup(&s, &map, x);
        int8_study_times(&s, &map, x);
    } else {
        case_skip(result, "no variant of int8sigmoid/%s under off is in this build and runs here",
                  s.chosen ? "lookup" : "compute");
    }
}

const struct case_study case_int8_table_domain = {
    .name = "int8-table-domain",
    .title = "A lookup table built on the wrong codes",
    .reported = "executorch 18973: a sigmoid table of 256 entries built over linspace(qmin, qmax, "
                "256) cast to int8 doubles zero and shifts codes by one when qmin = -127",
    .mechanism = "A table is looked up with all 256 codes, -128 .. 127; linspace spreads 256 "
                 "entries over fewer codes, so that steps of less than one, cut towards zero, "
                 "repeat a code and put its neighbours in other places",
    .remedy = "The canonical codes -128 .. 127, each clamped to [qmin, qmax] before dequantizing",
    .run = run,
};
