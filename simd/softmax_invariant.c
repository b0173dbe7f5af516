/* y = e^x / sum(e^x), with one bit pattern on every ISA, compiler and policy: invariant.h says how,
 * invariant_exp.h what. Numerators and their sum, in blocks; product with 1 / sum, while the next
 * row's numerators are computed: those keep the multipliers busy, products the load and store ports.
 * Very long rows: the sum in one pass, then the numerators again, which reads twice and writes once
 * where storing them reads and writes twice. Rows that are not stored as floats are widened, and their
 * results rounded, in passes of their own (the scratch holds both): numerators are never rounded.
 * Error: 0.951 ulp of the exponential, in the numerator and averaged in the sum, and the product: at
 * most 3.8 ulp on N(0, 10^2) for n from 7 to 32768 (4e6 elements each), 2.3 on N(0, 1).
 * By hand, Zen 4, 16 elements in AVX-512: 9 multiplications and FMAs, which one pair of pipes starts in
 * 9 cycles; measured, clang-14 off: 10.6 at 16x4096, 11.0 at 2x2048, 11.1 at 8x512; in AVX2, gcc-12
 * off: 12.4, 13.2, 13.7. Emerald Rapids: all 14.7 instructions start on two ports, 7.3 cycles; measured
 * 9.1 at 2x2048, 10.5 at 8x512.
 * 20 flops, 8 bytes per element. */
#include "invariant_exp_team.h"
#include "scanned.h"

static void fill(float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) y[i] = a;
}

/* 1 / total in two floats: the reciprocal of a rounded sum, rounded, would cost another ulp. */
struct factor {
    float high, low;
};
static inline struct factor reciprocal(double total)
{
    double f = d_div(1.0, total);
    float high = f_of(f);
    return (struct factor){high, f_of(d_sub(f, d_of(high)))};
}

static inline vf times(vf e, vf high, vf low)
{
    return i_fma(e, high, i_mul(e, low));
}

/* y = e factor; e and y may be one. Several registers a turn: one alone took twice the time where the
 * linker happened to put the loop across two lines. */
ALWAYS_INLINE void multiply(const float *e, float *y, size_t n, struct factor f)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES)
        for (size_t k = i; k < i + 2 * LANES; k += VL) v_store(y + k, times(v_load(e + k), high, low));
    for (; i + VL <= n; i += VL) v_store(y + i, times(v_load(e + i), high, low));
    if (i < n) v_store_part(y + i, times(v_load_part(e + i, n - i, 0.0f), high, low), n - i);
}

ALWAYS_INLINE void multiply_head(const float *e, float *y, size_t n, struct factor f)
{
    float head[LINE];
    int some = n < LINE;
    multiply(e, some ? head : y, n, f);
    if (some) store_head(y, head, n);
}

/* The same past the caches. */
ALWAYS_INLINE void multiply_past(const float *e, float *y, size_t n, struct factor f)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = before_boundary(y, n);
    multiply_head(e, y, i, f);
    for (; i + LINE <= n; i += LINE)
        for (size_t k = i; k < i + LINE; k += VL) i_stream(y + k, times(v_load(e + k), high, low));
    multiply(e + i, y + i, n - i, f);
}

/* The numerators again, times the factor. */
ALWAYS_INLINE vf again(const float *x, const struct exp_scale *s, vi *seen, vf high, vf low)
{
    return times(exp_scaled(i_max_at(s->lowest, x), NUMERATORS, s, seen), high, low);
}
ALWAYS_INLINE void recompute(const float *x, float *y, size_t n, const struct exp_scale *s, vi *seen,
                             vf high, vf low)
{
    for (size_t i = 0; i < n; i += VL) {
        size_t left = lanes_before(i, n);
        vf a = i_max(s->lowest, v_load_part(x + i, left, MINUS_INFINITY));
        v_store_part(y + i, times(exp_scaled(a, NUMERATORS, s, seen), high, low), left);
    }
}
/* Past the caches. */
static void recompute_past(const float *x, float *y, size_t n, float N, struct factor f)
{
    struct exp_scale s = exp_scale(N, NULL);
    vi seen = vi_set1(0);
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = before_boundary(y, n);
    recompute(x, y, i, &s, &seen, high, low);
    for (; i + LINE <= n; i += LINE)
        for (size_t k = i; k < i + LINE; k += VL) i_stream(y + k, again(x + k, &s, &seen, high, low));
    recompute(x + i, y + i, n - i, &s, &seen, high, low);
}

/* y = x - log, the logarithm in two floats. */
static void subtract_log(const float *x, float *y, size_t n, double log)
{
    float high = f_of(log), low = f_of(d_sub(log, d_of(high)));
    vf h = i_set1(high), l = i_set1(low);
    for (size_t i = 0; i < n; i += VL) {
        size_t left = lanes_before(i, n);
        v_store_part(y + i, i_sub(i_sub(v_load_part(x + i, left, 0.0f), h), l), left);
    }
}

/* y = x - log(sum(e^x)). */
static void log_row(const float *x, float *y, size_t n, int *masked)
{
    struct exp_total t = exp_total(x, n, sum_numerators, masked);
    if (f_bits(t.special)) fill(y, n, f_from_bits(NAN_BITS));
    else subtract_log(x, y, n, exp_total_log(&t, NUMERATORS, x, n));
}

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
    recompute_past(x, y, n, t.N, reciprocal(t.total));
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
    struct factor factor;
    int done; /* quotients are in y */
};

static void row_open(struct row *r, const float *x, float *e, float *y, size_t n, int *masked)
{
    struct sample sample = row_sample(x, n);
    *r = (struct row){.x = x, .e = e, .y = y, .N = exponent_of(sample.greatest)};
    if (is_large(sample.greatest)) {
        careful_row(x, y, n);
        r->done = 1;
    } else if (is_low(sample)) {
        *masked = 1;
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

/* A block's numerators, and the quotients of the same block of the row before, which go first where both
 * have one buffer (`shared`), and otherwise last: the factor is what they wait for. */
ALWAYS_INLINE void two_blocks(struct row *r, const struct row *before, size_t first, size_t n, int masked,
                              int shared, int past)
{
    _Alignas(64) float copy[OCTET];
    struct exp_scale s = exp_scale(r->N, masked ? copy : NULL);
    struct exp_sum sum = {0};
    vi seen = vi_set1(0);
    const float *x = r->x + first, *numerators = before->e + first;
    float *e = r->e + first, *y = before->y + first;
    vf high = i_set1(before->factor.high), low = i_set1(before->factor.low);
    size_t head = past ? before_boundary(y, n) : 0, i = 0;
    multiply_head(numerators, y, head, before->factor);
    numerators += head;
    y += head;
    for (; i + head + OCTET <= n; i += OCTET) {
        vf a[PARTS], b[PARTS];
        if (past) read_ahead(x + i, OCTET);
        const float *octet = bounded(&s, x + i, OCTET);
        if (shared) quad_multiply(numerators + i, y + i, high, low, past);
        exp_quad(a, octet, e + i, STORED, &s, &seen);
        size_t next = shared ? i + QUAD : i;
        quad_multiply(numerators + next, y + next, high, low, past);
        exp_quad(b, octet + QUAD, e + i + QUAD, STORED, &s, &seen);
        if (!shared) quad_multiply(numerators + i + QUAD, y + i + QUAD, high, low, past);
        add_register(a, b);
        add_octet(&sum, i, a);
    }
    if (i + head < n) row_multiply(before, first + head + i, n - head - i, past);
    exp_add(&sum, x, e, STORED, past, i, n, &s, &seen);
    r->total = d_add(r->total, block_total(&sum, n, seen));
}
static __attribute__((noinline)) void two_blocks_kept(struct row *r, const struct row *before,
                                                      size_t first, size_t n, int masked)
{
    two_blocks(r, before, first, n, masked, 0, 0);
}
static __attribute__((noinline)) void two_blocks_past(struct row *r, const struct row *before,
                                                      size_t first, size_t n, int masked)
{
    two_blocks(r, before, first, n, masked, r->e == before->e, 1);
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

/* Rows whose numerators, two rows' side by side, leave L1 to what is read. Longer rows have one buffer, and
 * that half a page from where x is: loads whose address equals an unfinished store's in its last 12 bits
 * wait for it (4096x4096 took .33 ns per element where it stood 256 bytes behind, .18 elsewhere). */
enum { BESIDE = 1024, HALF_PAGE = 2048, PAGE = 4096 };
static float *apart(float *scratch, const float *x)
{
    return scratch + ((uintptr_t)x + HALF_PAGE - (uintptr_t)scratch) % PAGE / sizeof *x;
}

/* Rows of floats. */
struct rows {
    const float *x;
    float *y, *e; /* e: for numerators, 2 n floats, or n beyond BESIDE; NULL: in y */
    size_t x_stride, y_stride, count, n;
};
static void pipelined(const struct rows *j, int *masked, int past)
{
    struct row rows[2] = {{.done = 1}, {.done = 1}};
    size_t rows_ahead = AHEAD / 4 / j->n, e_step = j->n <= BESIDE ? j->n : 0;
    for (size_t k = 0; k < j->count; k++) {
        struct row *r = &rows[k % 2];
        float *y = j->y + k * j->y_stride;
        if (past && k + rows_ahead < j->count) fetch_ends(y + rows_ahead * j->y_stride, j->n);
        row_open(r, j->x + k * j->x_stride, j->e ? j->e + k % 2 * e_step : y, y, j->n, masked);
        turn(r, &rows[!(k % 2)], j->n, *masked, past);
        row_close(r, j->n, masked);
    }
    if (!rows[!(j->count % 2)].done) row_multiply(&rows[!(j->count % 2)], 0, j->n, past);
}

static void one_row(const struct job *j, size_t r, int *masked)
{
    const float *x = x_floats(row_in(j, r), j->n, j->scratch);
    float *y = y_floats(row_out(j, r), j->scratch + j->n);
    if (j->log_output) log_row(x, y, j->n, masked);
    else if (is(j, RECOMPUTED)) long_row(x, y, j->n, masked);
    else pipelined(&(struct rows){.x = x, .y = y, .count = 1, .n = j->n}, masked, 0);
    y_put(row_out(j, r), y, j->n);
}

/* Up to VL rows together; those that are not stored as floats with room of their own. */
enum { ROOM = STORED_FLOATS ? 1 : VL * SHORTEST };
struct group {
    struct exp_rows rows;
    size_t first, e_stride, y_stride;
    float *e, *y, high[VL], low[VL], buffer[VL * SHORTEST], widened[ROOM], results[ROOM];
};

/* Returns how many rows it has. */
static inline size_t group_open(struct group *g, const struct job *j, size_t first, int past)
{
    int any = together(j, first, TOGETHER, past || !STORED_FLOATS);
    size_t n = j->n, count = any ? rows_from(j, first) : 0;
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
    g->e = past ? g->buffer : g->y;
    g->e_stride = past ? n : g->y_stride;
    exp_rows_open(&g->rows);
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

/* Pipelined: the rows of one group in turn with those of the group before. Returns the first row that
 * is left. */
ALWAYS_INLINE size_t short_rows(const struct job *j, int *masked, int past)
{
    struct group groups[2], *before = &groups[0], *g = &groups[1];
    _Alignas(64) float copy[OCTET];
    struct exp_scale s = exp_scale(0.0f, NULL);
    size_t opened = 0, n = j->n;
    before->rows.count = 0;
    for (;;) {
        size_t count = group_open(g, j, opened, past);
        if (!count && !before->rows.count) return opened;
        opened += count;
        if (count && !g->rows.together) {
            group_apart(g, j, masked);
            count = 0;
        }
        const float *x = count ? g->rows.x : NULL, *numerators = before->rows.count ? before->e : NULL;
        float *e = count ? g->e : NULL, *y = before->rows.count ? before->y : NULL;
        for (size_t k = 0; k < VL; k++) {
            if (k < count) {
                if (past) fetch_ends(row_out(j, g->first + k), n);
                exp_rows_add(&g->rows, k, x, e, STORED, past, n, &s);
                x += g->rows.stride;
                e += g->e_stride;
            }
            if (k < before->rows.count) {
                struct factor f = {before->high[k], before->low[k]};
                if (past) multiply_past(numerators, y, n, f);
                else multiply(numerators, y, n, f);
                y_put(row_out(j, before->first + k), y, n);
                numerators += before->e_stride;
                y += before->y_stride;
            }
        }
        if (count && !s.copy && out_of_range(g->rows.seen)) { /* once more */
            s.copy = copy;
            *masked = 1;
            before->rows.count = 0;
            opened -= count;
            continue;
        }
        if (count) group_close(g);
        if (count && !g->rows.together) group_apart(g, j, masked);
        struct group *t = before;
        before = g;
        g = t;
    }
}
/* One loop, compiled for either way. */
static __attribute__((noinline)) size_t short_rows_kept(const struct job *j, int *masked)
{
    return short_rows(j, masked, 0);
}
static __attribute__((noinline)) size_t short_rows_past(const struct job *j, int *masked)
{
    return short_rows(j, masked, 1);
}

static void run(const struct job *j)
{
    int past = past_caches(j), masked = 0;
    if (!j->n) return;
    size_t r = j->log_output ? 0 : past ? short_rows_past(j, &masked) : short_rows_kept(j, &masked);
    if (STORED_FLOATS && !j->log_output && !is(j, RECOMPUTED) && r < j->rows) {
        struct rows rows = {.x = (const float *)row_in(j, r), .y = (float *)row_out(j, r),
                            .x_stride = j->x_stride, .y_stride = j->y_stride,
                            .count = j->rows - r, .n = j->n};
        if (past) rows.e = j->n > BESIDE ? apart(j->scratch, rows.x) : j->scratch;
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
    int kept = !j->log_output && !is(j, RECOMPUTED);
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
        subtract_log(x, y, n, exp_total_log(&t, NUMERATORS, j->x, j->n));
    } else if (kept) {
        multiply(y, y, n, reciprocal(t.total));
    } else {
        recompute_past(x, y, n, t.N, reciprocal(t.total));
        i_stream_end();
    }
}

static size_t ways(const struct job *j, struct way *out)
{
    size_t count = 0;
    int past = STORED_FLOATS && ask(j, STREAMED, out, &count);
    if (j->log_output) return count;
    count = together_ways(j, TOGETHER, past || !STORED_FLOATS, out, count);
    if (!out[count - 1].taken) ask(j, RECOMPUTED, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = ALGORITHM, .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 20, .bytes = 2 * sizeof(element), .lanes = LANES, .chains = GROUP,
    /* The sum's (invariant_exp.h), and the product with a factor of two floats. */
    .ops = {.fma = NUMERATOR_FMA + 1, .mul = SUM_MUL + 1, .add = SUM_ADD, .other = SUM_OTHER},
    .exp_ulp = INVARIANT_EXP_ULP,
    .bound = BOUND_SOFTMAX,
    .promise = {.ulp_off = STORED_ULP(4), .ulp_fused = STORED_ULP(4), .specials = true, .bound = true},
    .run = run, .ways = ways, .stages = STORED_FLOATS ? STAGES : 0, .stage = stage,
};
