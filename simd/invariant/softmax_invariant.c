/* y = e^x / sum(e^x), with one bit pattern on every ISA, compiler and policy: invariant.h says how,
 * invariant_exp.h what. Numerators and their sum, in blocks; product with 1 / sum, while the next
 * row's numerators are computed: those keep the multipliers busy, products the load and store ports.
 * Very long rows: the sum in one pass, then quotients in another, which reads twice and writes once
 * where storing numerators reads and writes twice. Rows that are not stored as floats are widened, and their
 * results rounded, in passes of their own (the scratch holds both): numerators are never rounded.
 * Error: 0.951 ulp of the exponential, in the numerator and averaged in the sum, and the product: at
 * most 3.8 ulp on N(0, 10^2) for n from 7 to 32768 (4e6 elements each), 2.3 on N(0, 1).
 * log_softmax subtracts the logarithm of the same sum (invariant_log.h): x is read again, nothing is kept. Zen 3, 16
 * elements in AVX2, the least, gcc-12 and clang-14 off: 25.1 and 25.9 cycles at 128x32, 16.4 and 16.6 at 32x128, 15.8
 * and 15.7 at 8x512.
 * By hand, Zen 4, 16 elements in AVX-512: 9 multiplications and FMAs, which one pair of pipes starts in
 * 9 cycles; measured (run of 9fc53b2), the least, clang-14 off: 10.3 at 16x4096, 10.9 at 2x2048, 11.1 at 8x512; in
 * AVX2, gcc-12 off: 12.2, 12.9, 13.6. Emerald Rapids: all 14.7 instructions start on two ports, 7.3 cycles; medians
 * (run of 89fa0e9): 9.1 at 2x2048 (clang-14), 9.5 at 8x512 (gcc-12); in AVX2, clang-14: 13.1, 13.6.
 * 20 flops, 8 bytes per element. */
// build: policies=distinct stored=bf16,f16 stored_policies=off
#include "invariant_exp_team.h"
#include "invariant_log.h"
#include "scanned.h"

static void fill(float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) y[i] = a;
}

/* 1 / total: the reciprocal of a rounded sum, rounded, would cost another ulp. A logarithm likewise. */
struct two_floats {
    float high, low;
};
static inline struct two_floats as_two_floats(double a)
{
    float high = f_of(a);
    return (struct two_floats){high, f_of(d_sub(a, d_of(high)))};
}
static inline struct two_floats reciprocal(double total) { return as_two_floats(d_div(1.0, total)); }

/* What is done to each element. */
typedef vf by_two_floats(vf a, vf high, vf low);
static inline vf times(vf e, vf high, vf low) { return i_fma(e, high, i_mul(e, low)); }
static inline vf minus(vf x, vf high, vf low) { return i_sub(i_sub(x, high), low); }

/* Of e to y; they may be one. Several registers a turn: one alone took twice the time where the
 * linker happened to put the loop across two lines. */
ALWAYS_INLINE void each(by_two_floats *act, const float *e, float *y, size_t n, struct two_floats f)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES)
        for (size_t k = i; k < i + 2 * LANES; k += VL) v_store(y + k, act(v_load(e + k), high, low));
    for (; i + VL <= n; i += VL) v_store(y + i, act(v_load(e + i), high, low));
    if (i < n) v_store_part(y + i, act(v_load_part(e + i, n - i, 0.0f), high, low), n - i);
}
ALWAYS_INLINE void each_of_head(by_two_floats *act, const float *e, float *y, size_t n, struct two_floats f)
{
    float head[LINE];
    int some = n < LINE;
    each(act, e, some ? head : y, n, f);
    if (some) store_head(y, head, n);
}
/* The same past the caches; `ahead` of e, if not NULL, is fetched meanwhile. */
ALWAYS_INLINE void each_past(by_two_floats *act, const float *e, float *y, size_t n, struct two_floats f,
                             const float *ahead)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = floats_before_line(y, n);
    each_of_head(act, e, y, i, f);
    for (; i + LINE <= n; i += LINE) {
        if (ahead) __builtin_prefetch(ahead + i, 0, 2);
        for (size_t k = i; k < i + LINE; k += VL) i_stream(y + k, act(v_load(e + k), high, low));
    }
    each(act, e + i, y + i, n - i, f);
}
ALWAYS_INLINE void multiply(const float *e, float *y, size_t n, struct two_floats f) { each(times, e, y, n, f); }
ALWAYS_INLINE void multiply_past(const float *e, float *y, size_t n, struct two_floats f)
{
    each_past(times, e, y, n, f, NULL);
}

/* ---- Quotients without numerators ----------------------------------------------------------------
 * e^x / total = 2^e f e^x, 1 <= f < 2: the exponential itself with e added to its exponents and f multiplied
 * into its table, whose rounding stands where the quotient's would: 7 multiplications and not 9.
 *
 * Exponents below 2 leave the field, so that out_of_range() tells: powers are 2^LEAST_EXPONENT times what
 * the field says. Where it does tell, everything is done 2^RAISED higher and taken down in the end: what is
 * normal comes out the same, and what is not is at least 2^-209 before (invariant_exp.h: LOWEST, TOO_MUCH). */
#define TAKEN_DOWN 0x1p-96f
enum { LEAST_EXPONENT = 2, RAISED = 96, STEP = ABREAST * VL > LINE ? ABREAST * VL : LINE };

/* The table times f; returns e. */
static int32_t quotient_powers(int32_t powers[8], double total)
{
    uint64_t inverse = d_bits(d_div(1.0, total)), mantissa = inverse & 0xfffffffffffffu;
    double f = d_from_bits(mantissa | d_bits(1.0));
    for (int32_t j = 0; j < 8; j++) {
        int32_t upper = (j << 20) + BITS_OF_1;
        double power = d_of(f_from_bits((uint32_t)(kappa_powers[j] + upper)));
        powers[j] = (int32_t)f_bits(f_of(d_mul(power, f))) - upper + (LEAST_EXPONENT << 23);
    }
    return (int32_t)(inverse >> 52) - 1023;
}
/* `powers` are read as long as it is used. */
static struct exp_scale quotient_scale(float N, int32_t e, const int32_t powers[8])
{
    struct exp_scale s = exp_scale(N, NULL);
    int32_t magic = (int32_t)MAGIC + 8 * (BIAS + 127 - LEAST_EXPONENT + e);
    s.magic = i_set1(f_fma(N, -8.0f, f_keep((float)magic)));
    s.powers = table8_load(powers);
    return s;
}

/* Of `count` vectors abreast, in their place. */
ALWAYS_INLINE void quotients(vf *a, size_t count, int raised, const struct exp_scale *s, vi *seen)
{
    for (size_t k = 0; raised && k < count; k++) a[k] = i_max(s->lowest, a[k]);
    exp_abreast(a, a, count, NUMERATORS, s, seen);
    for (size_t k = 0; raised && k < count; k++) a[k] = i_mul(a[k], i_set1(TAKEN_DOWN));
}
ALWAYS_INLINE void quotients_kept(const float *x, float *y, size_t n, int raised, const struct exp_scale *s, vi *seen)
{
    for (size_t i = 0; i < n; i += VL) {
        size_t left = lanes_before(i, n);
        vf a = v_load_part(x + i, left, x[i]);
        quotients(&a, 1, raised, s, seen);
        v_store_part(y + i, a, left);
    }
}
/* Past the caches. Returns whether something was out of range. */
ALWAYS_INLINE int quotients_past(const float *x, float *y, size_t n, int raised, const struct exp_scale *scale)
{
    struct exp_scale s = *scale;
    vi seen = vi_set1(0);
    size_t i = floats_before_line(y, n);
    quotients_kept(x, y, i, raised, &s, &seen);
    for (; i + STEP <= n; i += STEP) {
        if (STREAMS) prefetch_ahead(x + i, STEP);
        for (size_t k = i; k < i + STEP; k += ABREAST * VL) {
            vf a[ABREAST];
            for (size_t v = 0; v < ABREAST; v++) a[v] = v_load(x + k + v * VL);
            quotients(a, ABREAST, raised, &s, &seen);
            for (size_t v = 0; v < ABREAST; v++) i_stream(y + k + v * VL, a[v]);
        }
    }
    quotients_kept(x + i, y + i, n - i, raised, &s, &seen);
    return out_of_range(seen);
}
static __attribute__((noinline)) int quotients_direct(const float *x, float *y, size_t n, const struct exp_scale *s)
{
    return quotients_past(x, y, n, 0, s);
}
static __attribute__((noinline)) void quotients_raised(const float *x, float *y, size_t n, const struct exp_scale *s)
{
    quotients_past(x, y, n, 1, s);
}
static void recompute_past(const float *x, float *y, size_t n, const struct exp_total *t)
{
    int32_t powers[8], e = quotient_powers(powers, t->total);
    struct exp_scale direct = quotient_scale(t->N, e, powers), raised = quotient_scale(t->N, e + RAISED, powers);
    int low = x == y; /* what is written is not there to be read again */
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        if (!low && quotients_direct(x + i, y + i, length, &direct)) {
            i_stream_end(); /* what streams twice arrives in order */
            low = 1;
        }
        if (low) quotients_raised(x + i, y + i, length, &raised);
    }
}

/* ---- log_softmax: y = x - log(sum(e^x)) ----------------------------------------------------------- */

/* `past`: past the caches, where what comes AHEAD is fetched, as in layernorm. */
static __attribute__((noinline)) void subtract_log(const float *x, float *y, size_t n, struct two_floats log, int past,
                                                   const float *ahead)
{
    if (past) each_past(minus, x, y, n, log, ahead);
    else each(minus, x, y, n, log);
}
static void log_row(const float *x, float *y, size_t n, int past, int *masked)
{
    struct exp_total t = exp_total(x, n, sum_numerators, masked);
    if (f_bits(t.special)) fill(y, n, f_from_bits(NAN_BITS));
    else subtract_log(x, y, n, as_two_floats(exp_total_log(&t, NUMERATORS, x, n)), past, x + AHEAD);
}
static __attribute__((noinline)) void logs_close(struct log_group *g, struct exponents *e)
{
    log_group_close(g, NUMERATORS, e);
}
/* Up to VL rows together, pipelined: a group's logarithms are on their way when the next one's sums begin, and are
 * subtracted from its rows in turn with those. Returns the first row that is left. */
ALWAYS_INLINE size_t log_rows(const struct job *j, int *masked, int ahead, enum length length, size_t n)
{
    struct log_group groups[2], *before = &groups[0], *g = &groups[1];
    _Alignas(64) float copy[OCTET];
    float none[OCTET]; /* nothing is stored there */
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct exponents exponents = exponents_unknown();
    size_t opened = 0, rows_ahead = AHEAD / n * j->x_stride;
    int past = ahead && streams_stores(j);
    before->first = before->rows.count = 0;
    before->rows.x = NULL;
    for (;;) {
        g->rows.count = 0;
        if (opened < j->rows && takes_batch(j, opened, TWO_ROWS, BATCH_FITS_L2)) log_group_open(g, j, opened, n, &exponents);
        if (!g->rows.count && !before->rows.count) return opened;
        if (before->rows.count) logs_close(before, &exponents);
        const float *x = g->rows.x, *whole = before->rows.x;
        float *y = (float *)row_out(j, before->first);
        size_t most = g->rows.count > before->rows.count ? g->rows.count : before->rows.count;
        for (size_t k = 0; k < most; k++) {
            if (k < g->rows.count) {
                exp_rows_add(&g->rows, &exponents, k, x, none, NUMERATORS, ahead, n, length, &s);
                x += j->x_stride;
            }
            if (k < before->rows.count) {
                struct two_floats log = {before->high[k], before->low[k]};
                if (past) prefetch_partial_lines(y, n);
                if (!before->rows.together) log_row(whole, y, n, past, masked);
                else if (!ahead && (length == TWO_REGISTERS || length == OCTET_ALONE)) each(minus, whole, y, n, log);
                else subtract_log(whole, y, n, log, past, whole + rows_ahead);
                whole += j->x_stride;
                y += j->y_stride;
            }
        }
        before->rows.count = 0;
        if (g->rows.count && !s.copy && out_of_range(g->rows.seen)) { /* once more */
            s.copy = copy;
            *masked = 1;
            continue;
        }
        opened += g->rows.count;
        struct log_group *t = before;
        before = g;
        g = t;
    }
}
TOGETHER_BY_LENGTH(logs_by, log_rows);

/* ---- Rows one by one --------------------------------------------------------------------------- */

static void long_row(const float *x, float *y, size_t n, int *masked)
{
    struct exp_total t = exp_total(x, n, sum_numerators, masked);
    if (f_bits(t.special)) {
        fill(y, n, f_from_bits(NAN_BITS));
        return;
    }
    if (t.shift != 0.0f) {
        subtract(x, y, n, t.shift);
        x = y;
    }
    recompute_past(x, y, n, &t);
}

/* A row with what the fast passes do not expect: NaN, infinities, |max| >= LARGE, elements far above
 * or below the sample. */
static __attribute__((noinline)) void careful_row(const float *x, float *y, size_t n)
{
    float m = row_max(x, n);
    double total = d_from_bits(0x7ff8000000000000u);
    if (f_is_finite(m)) {
        if (is_large(m)) {
            subtract(x, y, n, m);
            x = y;
            m = 0.0f;
        }
        float N = exponent_of(m);
        total = 0.0;
        for (size_t i = 0; i < n; i += BLOCK)
            total = d_add(total, sum_stored(x + i, y + i, n - i < BLOCK ? n - i : BLOCK, N, 1));
    }
    if (d_is_finite(total)) multiply(y, y, n, reciprocal(total));
    else fill(y, n, f_from_bits(NAN_BITS));
}

/* A row on its way. */
struct row {
    const float *x;
    float *e, *y; /* e: its numerators; y or a buffer */
    float N;
    double total;
    struct two_floats factor;
    int done; /* quotients are in y */
};

static void row_open(struct row *r, const float *x, float *e, float *y, size_t n, int *masked)
{
    float sample = row_sample(x, n, masked);
    *r = (struct row){.x = x, .e = e, .y = y, .N = exponent_of(sample)};
    if (is_nearly_large(sample)) {
        careful_row(x, y, n);
        r->done = 1;
    }
}

static void row_close(struct row *r, size_t n, int *masked)
{
    if (r->done) return;
    if (plausible(r->total)) {
        r->factor = reciprocal(r->total);
    } else {
        careful_row(r->x, r->y, n);
        r->done = 1;
        *masked = 1;
    }
}

/* Quotients of the row before, from `first` on. */
ALWAYS_INLINE void row_multiply(const struct row *r, size_t first, size_t n, int past)
{
    if (past) multiply_past(r->e + first, r->y + first, n, r->factor);
    else multiply(r->e + first, r->y + first, n, r->factor);
}

ALWAYS_INLINE void quad_multiply(const float *e, float *y, vf high, vf low, int past)
{
    for (size_t k = 0; k < QUAD; k += VL) {
        vf a = times(v_load(e + k), high, low);
        if (past) i_stream(y + k, a);
        else v_store(y + k, a);
    }
}

/* n elements' numerators, x to e, and as many quotients of a row before, from `numerators` to y: they go
 * first past the caches, where both have one buffer, and otherwise last: the factor is what they wait for. */
ALWAYS_INLINE void two_rows(struct exp_sum *sum, const float *x, float *e, const float *numerators, float *y,
                            size_t n, struct two_floats f, const struct exp_scale *s, vi *seen, int past)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t head = past ? floats_before_line(y, n) : 0, i = 0;
    if (head) each_of_head(times, numerators, y, head, f);
    numerators += head;
    y += head;
    for (; i + head + OCTET <= n; i += OCTET) {
        vf a[PARTS], b[PARTS];
        if (past) prefetch_ahead(x + i, OCTET);
        in_order();
        if (past) quad_multiply(numerators + i, y + i, high, low, past);
        const float *octet = bounded(s, x + i, OCTET);
        exp_quad(a, octet, e + i, STORED, s, seen);
        in_order();
        size_t next = past ? i + QUAD : i;
        quad_multiply(numerators + next, y + next, high, low, past);
        in_order();
        exp_quad(b, octet + QUAD, e + i + QUAD, STORED, s, seen);
        if (!past) quad_multiply(numerators + i + QUAD, y + i + QUAD, high, low, past);
        add_register(a, b);
        add_octet(sum, i, a);
    }
    if (past) multiply_past(numerators + i, y + i, n - head - i, f);
    else multiply(numerators + i, y + i, n - head - i, f);
    exp_add(sum, x, e, STORED, past, i, n, s, seen);
}

/* The same of a block of two rows. */
ALWAYS_INLINE void two_blocks(struct row *r, const struct row *before, size_t first, size_t n, int masked, int past)
{
    _Alignas(64) float copy[OCTET];
    struct exp_scale s = exp_scale(r->N, masked ? copy : NULL);
    struct exp_sum sum = {0};
    vi seen = vi_set1(0);
    two_rows(&sum, r->x + first, r->e + first, before->e + first, before->y + first, n, before->factor, &s,
             &seen, past);
    r->total = d_add(r->total, block_total(&sum, n, seen));
}
static __attribute__((noinline)) void two_blocks_kept(struct row *r, const struct row *before,
                                                      size_t first, size_t n, int masked)
{
    two_blocks(r, before, first, n, masked, 0);
}
static __attribute__((noinline)) void two_blocks_past(struct row *r, const struct row *before,
                                                      size_t first, size_t n, int masked)
{
    two_blocks(r, before, first, n, masked, 1);
}

/* Scalars gain nothing by turns, which are 16 times the text in them. */
enum { BY_TURNS = VL > 1 };
static void turn(struct row *r, const struct row *before, size_t n, int masked, int past)
{
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t length = n - first < BLOCK ? n - first : BLOCK;
        if (before->done && r->done) return;
        if (BY_TURNS && !before->done && !r->done) {
            if (past) two_blocks_past(r, before, first, length, masked);
            else two_blocks_kept(r, before, first, length, masked);
            continue;
        }
        if (!before->done) row_multiply(before, first, length, past);
        if (!r->done)
            r->total = d_add(r->total, sum_stored(r->x + first, r->e + first, length, r->N, masked));
    }
}

/* Rows of floats. */
struct rows {
    const float *x;
    float *y, *e; /* e: for numerators, n floats; NULL: in y */
    size_t x_stride, y_stride, count, n;
};
static void pipelined(const struct rows *j, int *masked, int past)
{
    struct row rows[2] = {{.done = 1}, {.done = 1}};
    size_t rows_ahead = AHEAD / 4 / j->n;
    for (size_t k = 0; k < j->count; k++) {
        struct row *r = &rows[k % 2];
        float *y = j->y + k * j->y_stride;
        if (past && k + rows_ahead < j->count) prefetch_partial_lines(y + rows_ahead * j->y_stride, j->n);
        row_open(r, j->x + k * j->x_stride, j->e ? j->e : y, y, j->n, masked);
        turn(r, &rows[!(k % 2)], j->n, *masked, past);
        row_close(r, j->n, masked);
    }
    if (!rows[!(j->count % 2)].done) row_multiply(&rows[!(j->count % 2)], 0, j->n, past);
}

static void one_row(const struct job *j, size_t r, int *masked)
{
    const float *x = x_floats(row_in(j, r), j->n, j->scratch);
    float *y = y_floats(row_out(j, r), j->scratch + j->n);
    if (j->log_output) log_row(x, y, j->n, streams_stores(j), masked);
    else if (holds(j, RECOMPUTING_PAYS)) long_row(x, y, j->n, masked);
    else pipelined(&(struct rows){.x = x, .y = y, .count = 1, .n = j->n}, masked, 0);
    y_put(row_out(j, r), y, j->n);
}

/* Up to VL rows together; those that are not stored as floats with room of their own. */
enum { ROOM = STORED_FLOATS ? 1 : VL * SHORTEST };
struct group {
    struct exp_rows rows;
    size_t first, e_stride, y_stride;
    float *e, *y, high[VL], low[VL], widened[ROOM], results[ROOM];
};

static inline enum condition fits(int past)
{
    return !STORED_FLOATS ? WIDENED_ROW_IS_SHORT : past ? STREAMED_BATCH_FITS_L1 : BATCH_FITS_L2;
}

/* `area`: for numerators, or NULL: in y. Returns how many rows it has. */
static inline size_t group_open(struct group *g, const struct job *j, size_t first, float *area,
                                struct exponents *e)
{
    int any = takes_batch(j, first, ENOUGH_ROWS, fits(area != NULL));
    size_t n = j->n, lines = (n + LINE - 1) / LINE * LINE, count = any ? rows_from(j, first) : 0;
    if (area && count > AREA / lines) count = AREA / lines;
    g->first = first;
    g->rows.n = n;
    g->rows.count = count;
    if (!count) return 0;
    g->rows.stride = STORED_FLOATS ? j->x_stride : n;
    g->rows.x = x_floats(row_in(j, first), n, g->widened);
    for (size_t k = 1; !STORED_FLOATS && k < count; k++)
        x_floats(row_in(j, first + k), n, g->widened + k * n);
    g->y = y_floats(row_out(j, first), g->results);
    g->y_stride = STORED_FLOATS ? j->y_stride : n;
    g->e = area ? area : g->y;
    g->e_stride = area ? lines : g->y_stride;
    exp_rows_open(&g->rows, e);
    return count;
}

static inline void group_close(struct group *g)
{
    vd f = vd_div(vd_set1(1.0), exp_rows_close(&g->rows));
    vf h = vd_to(f);
    v_store(g->high, h);
    v_store(g->low, vd_to(vd_sub(f, vd_of(h))));
}

/* A group with a row that is not for the fast path: one by one. */
static __attribute__((noinline)) void group_apart(struct group *g, const struct job *j, int *masked)
{
    for (size_t k = 0; k < g->rows.count; k++) one_row(j, g->first + k, masked);
    g->rows.count = 0;
}

/* Pipelined: the rows of one group in turn with those of the group before; past the caches rows of octets go by
 * turns, shorter ones have half an area for each of two groups. Returns the first row that is left. */
ALWAYS_INLINE size_t short_rows(const struct job *j, int *masked, int past, enum length length, size_t n)
{
    struct group groups[2], *before = &groups[0], *g = &groups[1];
    _Alignas(64) float copy[OCTET], area[AREA + 2 * PAGE_FLOATS];
    float *base = past ? half_page_from(area, (const float *)j->x) : NULL;
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct exponents exponents = exponents_unknown();
    size_t opened = 0;
    before->rows.count = 0;
    for (;;) {
        float *place = past && length < OCTET_ALONE && g == groups ? base + AREA / 2 + PAGE_FLOATS / 4 : base;
        size_t count = group_open(g, j, opened, place, &exponents);
        if (!count && !before->rows.count) return opened;
        opened += count;
        if (count && !g->rows.together) {
            group_apart(g, j, masked);
            count = 0;
        }
        const float *x = count ? g->rows.x : NULL, *numerators = before->rows.count ? before->e : NULL;
        float *e = count ? g->e : NULL, *y = before->rows.count ? before->y : NULL;
        for (size_t k = 0; k < VL; k++) {
            int opens = k < count, closes = k < before->rows.count;
            int turns = past && length >= OCTET_ALONE && opens && closes;
            if (past && opens) prefetch_partial_lines(row_out(j, g->first + k), n);
            if (turns) {
                struct two_floats f = {before->high[k], before->low[k]};
                struct exp_sum sum = {0};
                vi seen = vi_set1(0);
                exp_rows_begin(&g->rows, &exponents, k, x, past, &s);
                two_rows(&sum, x, e, numerators, y, n, f, &s, &seen, 1);
                exp_rows_end(&g->rows, k, &sum, n, length, seen);
            }
            if (opens) {
                if (!turns) exp_rows_add(&g->rows, &exponents, k, x, e, STORED, past, n, length, &s);
                x += g->rows.stride;
                e += g->e_stride;
            }
            if (closes) {
                struct two_floats f = {before->high[k], before->low[k]};
                if (!turns && past) multiply_past(numerators, y, n, f);
                else if (!turns) multiply(numerators, y, n, f);
                y_put(row_out(j, before->first + k), y, n);
                numerators += before->e_stride;
                y += before->y_stride;
            }
        }
        if (count) group_close(g);
        if (count && !g->rows.together) {
            int masks = !s.copy && out_of_range(g->rows.seen);
            if (masks || exponents.are == SHARED) { /* once more */
                if (masks) s.copy = copy, *masked = 1;
                else exponents.are = APART;
                before->rows.count = 0;
                opened -= count;
                continue;
            }
            group_apart(g, j, masked);
        }
        struct group *t = before;
        before = g;
        g = t;
    }
}
TOGETHER_BY_LENGTH(together_by, short_rows);

static void run(const struct job *j)
{
    int past = streams_stores(j), masked = UNASKED;
    if (!j->n) return;
    size_t r = 0;
    if (!j->log_output) r = together_by[length_of(j->n)][past](j, &masked);
    else if (STORED_FLOATS) r = logs_by[length_of(j->n)][prefetches(j)](j, &masked);
    if (STORED_FLOATS && !j->log_output && !holds(j, RECOMPUTING_PAYS) && r < j->rows) {
        struct rows rows = {.x = (const float *)row_in(j, r), .y = (float *)row_out(j, r),
                            .x_stride = j->x_stride, .y_stride = j->y_stride,
                            .count = j->rows - r, .n = j->n};
        if (past) rows.e = scratch_half_page_from_x(j);
        pipelined(&rows, &masked, past);
    } else {
        for (; r < j->rows; r++) one_row(j, r, &masked);
    }
    i_stream_end();
}

/* One row among several threads: its blocks' sums, and numerators where they are kept; then each part's
 * share of the results. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    int kept = !j->log_output && !holds(j, RECOMPUTING_PAYS);
    if (!j->n) return;
    if (stage == 0) {
        team_blocks(j, kept ? j->y : NULL, kept ? sum_stored : sum_numerators, part, parts);
        return;
    }
    struct share s = share_of(j->n, part, parts);
    struct exp_total t = team_total(j);
    const float *x = (const float *)j->x + s.first;
    float *y = (float *)j->y + s.first;
    size_t n = s.end - s.first;
    if (!plausible(t.total)) {
        if (part == 0) run(j);
    } else if (j->log_output) {
        subtract_log(x, y, n, as_two_floats(exp_total_log(&t, NUMERATORS, j->x, j->n)), 0, NULL);
    } else if (kept) {
        multiply(y, y, n, reciprocal(t.total));
    } else {
        recompute_past(x, y, n, &t);
        i_stream_end();
    }
}

/* The sum's, and the exponential once more, with the k that it subtracts. */
static const struct vector_ops recomputed_ops = {.fma = 2 * NUMERATOR_FMA, .mul = 2 * NUMERATOR_MUL,
                                                 .add = NUMERATOR_ADD + 1, .other = SUM_OTHER + EXP_OTHER,
                                                 .permute = 2 * EXP_PERMUTE};

/* The sum's, and the difference with a logarithm of two floats. */
static const struct vector_ops log_ops = {.fma = NUMERATOR_FMA, .mul = NUMERATOR_MUL, .add = NUMERATOR_ADD + 2,
                                          .other = SUM_OTHER, .permute = EXP_PERMUTE};

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    int past = tell_streaming(j, out, &count);
    if (j->log_output) {
        if (STORED_FLOATS && tell_condition(j, TWO_ROWS, out, &count) && tell_condition(j, FITS_BLOCK, out, &count)) tell_condition(j, BATCH_FITS_L2, out, &count);
        return count;
    }
    if (tell_condition(j, ENOUGH_ROWS, out, &count) && tell_condition(j, FITS_BLOCK, out, &count)) tell_condition(j, fits(past), out, &count);
    if (!out[count - 1].taken && tell_condition(j, RECOMPUTING_PAYS, out, &count)) out[count - 1].ops = &recomputed_ops;
    return count;
}

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = ALGORITHM, .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 20, .bytes = 2 * sizeof(element), .lanes = LANES, .chains = GROUP,
    /* The sum's (invariant_exp.h), and the product with a factor of two floats. */
    .ops = {.fma = NUMERATOR_FMA + 1, .mul = NUMERATOR_MUL + 1, .add = NUMERATOR_ADD, .other = SUM_OTHER,
            .permute = EXP_PERMUTE},
    .log_ops = &log_ops,
    .exp_ulp = INVARIANT_EXP_ULP,
    .bound = BOUND_SOFTMAX,
    .promise = {.ulp_off = STORED_ULP(4), .ulp_fused = STORED_ULP(4), .specials = true, .bound = true},
    .run = run, .paths = paths, .stages = STORED_FLOATS ? STAGES : 0, .stage = stage,
};
