// SPDX-License-Identifier: MIT
/* Kernels whose x and y are stored as bf16 or fp16: the conversions on every ISA, over all values
 * and around every boundary of rounding, against their definition in double; and each such kernel
 * against the fp32 one on the widened input, on guarded memory. */
// test: 11 s of a core
#include <float.h>

#include "base/float_bits.h"
#include "base/random.h"
#include "guard.h"
#include "filtered.h"
#include "test.h"
#include "model/dtype.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "vocabulary/stored.h"

enum { LANES_MAX = 16, WORDS = 1 << 16 };

static const struct storage *const storages[] = {
    &storage_scalar_bf16, &storage_avx2_bf16, &storage_avx512_bf16,
    &storage_scalar_f16,  &storage_avx2_f16,  &storage_avx512_f16,
};
enum { STORAGES = sizeof storages / sizeof *storages };

/* ---- By definition --------------------------------------------------------------------------- */

/* Returns the value of a word by sign, exponent field and fraction; NaN for all NaNs. */
static double value_of(const struct dtype *t, uint16_t word)
{
    int field = word >> t->fraction_bits & ((1 << (15 - t->fraction_bits)) - 1);
    int top = (1 << (15 - t->fraction_bits)) - 1, fraction = word & ((1 << t->fraction_bits) - 1);
    double sign = word >> 15 ? -1 : 1;
    if (field == top) return fraction ? NAN : sign * INFINITY;
    int whole = field ? fraction + (1 << t->fraction_bits) : fraction;
    int exponent = (field ? field - 1 : 0) + t->min_exponent - t->fraction_bits;
    return sign * ldexp(whole, exponent);
}

/* Returns the nearest value of the type, the even one of two. */
static double nearest(const struct dtype *t, double a)
{
    if (isnan(a) || isinf(a) || a == 0) return a;
    int exponent = ilogb(a) < t->min_exponent ? t->min_exponent : ilogb(a);
    double unit = ldexp(1, exponent - t->fraction_bits), rounded = nearbyint(a / unit) * unit;
    return fabs(rounded) > t->largest ? copysign(INFINITY, a) : rounded;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* ---- Conversions ----------------------------------------------------------------------------- */

TEST(test_widening)
{
    for (size_t k = 0; k < STORAGES; k++) {
        const struct storage *s = storages[k];
        const struct dtype *t = dtype_find(s->type);
        if (!cpu_runs(s->isa)) continue;
        for (uint32_t first = 0; first < WORDS; first += (uint32_t)s->lanes) {
            uint16_t words[LANES_MAX];
            float got[LANES_MAX], lab[LANES_MAX];
            for (size_t l = 0; l < s->lanes; l++) words[l] = (uint16_t)(first + l);
            s->load(words, got);
            t->widen(words, lab, s->lanes);
            for (size_t l = 0; l < s->lanes; l++) {
                float one = s->at(&words[l]);
                double want = value_of(t, words[l]);
                if (!same((double)got[l], want) || bits_of_float(got[l]) != bits_of_float(lab[l]) ||
                    bits_of_float(one) != bits_of_float(got[l]))
                    fail_msg("%s %s: 0x%04x: %a, %a, %a; want %a", s->isa, s->type, words[l],
                             (double)got[l], (double)lab[l], (double)one, want);
            }
        }
    }
}

/* Some floats, rounded by every ISA and by the lab. */
static void check_rounding(const struct storage *s, const float *a, size_t count)
{
    const struct dtype *t = dtype_find(s->type);
    for (size_t i = 0; i < count; i += s->lanes) {
        size_t n = count - i < s->lanes ? count - i : s->lanes;
        uint16_t got[LANES_MAX], lab[LANES_MAX];
        float in[LANES_MAX] = {0};
        memcpy(in, a + i, n * sizeof *in);
        s->store(got, in);
        t->narrow(in, lab, n);
        for (size_t l = 0; l < n; l++) {
            double want = nearest(t, (double)in[l]);
            if (!same(value_of(t, got[l]), want) || got[l] != lab[l])
                fail_msg("%s %s: %a (0x%08x) became 0x%04x, in the lab 0x%04x; want %a", s->isa,
                         s->type, (double)in[l], bits_of_float(in[l]), got[l], lab[l], want);
        }
    }
}

/* Tests every value, every midpoint of two neighbours, and the floats beside both; every upper half
 * of a float with lower halves on both sides of a tie; and random bits. */
TEST(test_rounding)
{
    static const uint16_t low[] = {0,      1,      0x0fff, 0x1000, 0x1001, 0x1fff, 0x2fff,
                                   0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xffff};
    enum { LOW = sizeof low / sizeof *low, RANDOM = 1 << 20 };
    for (size_t k = 0; k < STORAGES; k++) {
        const struct storage *s = storages[k];
        const struct dtype *t = dtype_find(s->type);
        if (!cpu_runs(s->isa)) continue;
        float *a = malloc(RANDOM * sizeof *a);
        assert_non_null(a);
        for (uint32_t word = 0; word < WORDS; word++) {
            double here = value_of(t, (uint16_t)word), next = value_of(t, (uint16_t)(word + 1));
            float near[6] = {(float)here, nextafterf((float)here, INFINITY),
                             nextafterf((float)here, -INFINITY)};
            near[3] = isfinite(next) ? (float)(here / 2 + next / 2)
                                     : copysignf((float)t->overflow, (float)here);
            near[4] = nextafterf(near[3], INFINITY);
            near[5] = nextafterf(near[3], -INFINITY);
            check_rounding(s, near, 6);
            for (size_t l = 0; l < LOW; l++) a[l] = float_of_bits(word << 16 | low[l]);
            check_rounding(s, a, LOW);
        }
        uint64_t seed = 1;
        for (size_t i = 0; i < RANDOM; i++) a[i] = float_of_bits((uint32_t)random_next(&seed));
        check_rounding(s, a, RANDOM);
        free(a);
    }
}

TEST(test_parts)
{
    struct guard g = guard_open(LANES_MAX);
    for (size_t k = 0; k < STORAGES; k++) {
        const struct storage *s = storages[k];
        if (!cpu_runs(s->isa)) continue;
        uint16_t whole[LANES_MAX];
        float floats[LANES_MAX], got[LANES_MAX];
        for (size_t l = 0; l < s->lanes; l++) whole[l] = (uint16_t)(0x3c00 + 16 * l);
        s->load(whole, floats);
        for (size_t n = 0; n <= s->lanes; n++)
            for (int at_end = 0; at_end < 2; at_end++) {
                uint16_t *p = at_end ? (uint16_t *)(void *)g.end - n : (uint16_t *)(void *)g.begin;
                memset(g.begin, 0xaa, LANES_MAX * sizeof *p);
                s->store_part(p, floats, n);
                assert_memory_equal(p, whole, n * sizeof *p);
                for (size_t l = n; !at_end && l < LANES_MAX; l++) assert_int_equal(p[l], 0xaaaa);
                s->load_part(p, n, -1.0f, got);
                for (size_t l = 0; l < s->lanes; l++)
                    assert_true(got[l] == (l < n ? floats[l] : -1.0f));
            }
    }
}

/* ---- Kernels --------------------------------------------------------------------------------- */

enum { ROWS = 19, GAP = 3 };
static const size_t lengths[] = {0,  1,  2,  3,  5,  7,  8,   9,   15,  16,  17,  31,  32,   33,
                                 47, 63, 64, 65, 95, 96, 127, 128, 129, 255, 256, 257, 1000, 2113};
enum { LENGTHS = sizeof lengths / sizeof *lengths, N_MAX = 2113 };

struct rows {
    const struct dtype *type; /* the type of x */
    size_t n;
    uint16_t *x;   /* [ROWS, n], stored */
    float *floats; /* the same rows, widened */
};

/* Row 0 is plain; others have offsets, special values, subnormals, or large magnitudes. */
static float element_of(size_t row, size_t i, uint64_t *state)
{
    double u = 0;
    for (int k = 0; k < 6; k++) u += random_unit(state) - 0.5;
    float normal = (float)(u * 1.4142135623730951);
    switch (row) {
    case 1:
        return normal + 100.0f;
    case 2:
        return i == 3 ? INFINITY : normal;
    case 3:
        return i == 4 ? NAN : normal;
    case 4:
        return i == 0 ? -INFINITY : normal;
    case 5:
        return normal * 0x1p-20f;
    case 6:
        return normal * 0x1p14f;
    case 7:
        return 1.0f;
    case 8:
        return -INFINITY;
    case 9:
        return float_of_bits((uint32_t)random_next(state) & 0x807fffff);
    case 10:
        return float_of_bits((uint32_t)random_next(state));
    default:
        return normal;
    }
}

static struct rows rows_open(const struct dtype *t, size_t n)
{
    struct rows r = {t, n, keep(malloc(ROWS * n * sizeof *r.x + 1)),
                     keep(malloc(ROWS * n * sizeof *r.floats + 1))};
    uint64_t seed = n + 1;
    for (size_t k = 0; k < ROWS; k++)
        for (size_t i = 0; i < n; i++) r.floats[k * n + i] = element_of(k, i, &seed);
    t->narrow(r.floats, r.x, ROWS * n);
    t->widen(r.x, r.floats, ROWS * n);
    return r;
}

struct answer {
    float y[ROWS * N_MAX]; /* [ROWS, columns], widened if stored */
    float stats[ROWS * 2];
};

/* Returns whether the results are one logarithm or two moments per row, in fp32, rather than the
 * row's elements in its type. */
static bool reduces(const struct variant *v)
{
    return !strcmp(v->op, "moments") || !strcmp(v->op, "logsumexp");
}
static size_t columns_of(const struct variant *v, size_t n)
{
    return !reduces(v) ? n : strcmp(v->op, "moments") ? 1 : 2;
}

/* Runs a kernel on rows that end at a guard page (or begin at one), a stride apart; nothing may be
 * written between them. */
static void run_guarded(const struct variant *v, const struct rows *in, const void *x, bool affine,
                        bool at_end, struct answer *out)
{
    const struct dtype *t = dtype_of(v->kernel);
    const struct dtype *ytype = reduces(v) ? &dtype_f32 : t;
    size_t n = in->n, columns = columns_of(v, n), x_stride = n + GAP, y_stride = columns + GAP;
    size_t x_bytes = ((ROWS - 1) * x_stride + n) * t->bytes;
    size_t y_bytes = ((ROWS - 1) * y_stride + columns) * ytype->bytes;
    struct guard gx = guard_open(x_bytes / 4 + 1), gy = guard_open(y_bytes / 4 + 1);
    size_t scratch = (2 * n + 256 + 15) / 16 * 16; /* 64 bytes' worth: aligned at the guard, too */
    struct guard gs = guard_open(scratch);
    char *px = at_end ? (char *)gx.end - x_bytes : (char *)gx.begin;
    char *py = at_end ? (char *)gy.end - y_bytes : (char *)gy.begin;
    float gamma[N_MAX], beta[N_MAX];
    for (size_t i = 0; i < n; i++) gamma[i] = 1 + 0.25f * (float)(i % 3), beta[i] = (float)(i % 5);
    for (size_t r = 0; r < ROWS; r++)
        memcpy(px + r * x_stride * t->bytes, (const char *)x + r * n * t->bytes, n * t->bytes);
    memset(py, 0x55, y_bytes);
    memset(out->stats, 0, sizeof out->stats);
    v->kernel->run(&(struct job){
        .rows = ROWS,
        .n = n,
        .x = px,
        .x_stride = x_stride,
        .y = py,
        .y_stride = y_stride,
        .scale = 1,
        .log_output = v->kernel->log_output,
        .eps = 1e-5f,
        .gamma = affine ? gamma : NULL,
        .beta = affine ? beta : NULL,
        .stats = out->stats,
        .scratch = gs.end - scratch,
    });
    for (size_t r = 0; r < ROWS; r++) {
        ytype->widen(py + r * y_stride * ytype->bytes, out->y + r * columns, columns);
        const char *gap = py + (r * y_stride + columns) * ytype->bytes;
        for (size_t i = 0; r + 1 < ROWS && i < GAP * ytype->bytes; i++)
            if (gap[i] != 0x55) fail_msg("%s: n = %zu: writes behind row %zu", v->id, n, r);
    }
    guard_close(&gx);
    guard_close(&gy);
    guard_close(&gs);
}

/* ---- RowwiseMoments of a 16-bit row, as docs/method.md, "RowwiseMoments" says it
 * -------------------------
 */

struct welford {
    int count;
    float mean, m2;
};

static void merge(struct welford *a, struct welford b)
{
    int n = a->count + b.count;
    float c = n ? (float)b.count / (float)n : 0, d = b.mean - a->mean;
    a->mean += c * d;
    a->m2 += b.m2 + d * d * c * (float)a->count;
    a->count = n;
}

static struct welford chunk_of(const float *x, size_t stride, size_t count)
{
    struct welford w = {(int)count, 0, 0};
    for (size_t j = 0; j < count; j++) {
        float d = x[j * stride] - w.mean;
        w.mean += d * (1.0f / (float)(j + 1));
        w.m2 += d * (x[j * stride] - w.mean);
    }
    return w;
}

/* One lane of a 16-bit row: vectors of 2 V elements, which widen to two vectors of V floats. */
static struct welford lane_of(const float *x, size_t vectors, size_t V, size_t lane)
{
    enum { DEPTH = 20 };
    struct welford level[DEPTH] = {{0}};
    size_t chunks = (vectors + 15) / 16, depth = 1;
    while ((size_t)1 << depth < chunks) depth++;
    for (size_t i = 0; i < chunks; i++) {
        size_t k = vectors - 16 * i < 16 ? vectors - 16 * i : 16;
        const float *chunk = x + 16 * i * 2 * V;
        merge(&level[0], chunk_of(chunk + lane, 2 * V, k));
        merge(&level[0], chunk_of(chunk + V + lane, 2 * V, k));
        size_t mask = i + 1;
        for (size_t j = 1; j < depth && !(mask & 1); j++, mask >>= 1) {
            merge(&level[j], level[j - 1]);
            level[j - 1] = (struct welford){0};
        }
    }
    for (size_t j = 1; j < depth; j++) merge(&level[0], level[j]);
    return level[0];
}

static void rowwise_moments(const float *x, size_t n, size_t V, float *mean, float *variance)
{
    size_t vectors = n / (2 * V);
    struct welford all = {0};
    for (size_t i = vectors * 2 * V; i < n; i++) {
        float d = x[i] - all.mean;
        all.mean += d / (float)++all.count;
        all.m2 += d * (x[i] - all.mean);
    }
    for (size_t l = 0; l < V; l++) merge(&all, lane_of(x, vectors, V, l));
    *mean = n ? all.mean : NAN;
    *variance = all.m2 / (float)n;
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static void round_to(const struct dtype *t, float *a, size_t count)
{
    static uint32_t words[ROWS * N_MAX];
    t->narrow(a, words, count);
    t->widen(words, a, count);
}

/* If the policy allows fusing, two compilations of one source may fuse differently: then the
 * results of plain rows are near, within an ulp of the stored type. */
static void expect_near(const struct variant *v, const struct rows *in, size_t columns,
                        const float *got, const float *want)
{
    static const size_t plain[] = {0, 7, 11, 12, 13, 14, 15, 16, 17, 18};
    const struct dtype *t = in->type;
    bool moments = !strcmp(v->op, "moments");
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        for (size_t i = 0; i < columns && in->n; i++) {
            float a = got[plain[k] * columns + i], b = want[plain[k] * columns + i];
            double size = fmax(fabs((double)b), 0x1p-4);
            double unit = moments ? 0x1p-18 * (1 + size) : ldexp(size, -t->fraction_bits);
            if (!(fabs((double)a - (double)b) <= unit))
                fail_msg("%s: n = %zu: row %zu, %zu: %a; want about %a", v->id, in->n, plain[k], i,
                         (double)a, (double)b);
        }
}

static void expect(const struct variant *v, const char *what, const struct rows *in, size_t columns,
                   const float *got, const float *want)
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < columns; i++) {
            float a = got[r * columns + i], b = want[r * columns + i];
            if (bits_of_float(a) != bits_of_float(b) && !(isnan(a) && isnan(b)))
                fail_msg("%s: n = %zu: %s of row %zu, %zu: %a; want %a", v->id, in->n, what, r, i,
                         (double)a, (double)b);
        }
}

/* Compares with the kernel that stores fp32, on the same numbers: its results are rounded if they
 * are stored. */
static void compare_with_twin(const struct variant *v, const struct variant *twin,
                              const struct rows *in, bool affine, bool at_end)
{
    size_t columns = columns_of(v, in->n);
    static struct answer got, want;
    run_guarded(v, in, in->x, affine, at_end, &got);
    run_guarded(twin, in, in->floats, affine, at_end, &want);
    if (!reduces(v)) round_to(in->type, want.y, ROWS * columns);
    if (strcmp(v->policy, "off") && v->kernel->arithmetic == ARITHMETIC_POLICY) {
        expect_near(v, in, columns, got.y, want.y);
    } else {
        expect(v, "y", in, columns, got.y, want.y);
        const struct oracle *op = oracle_find(v->op);
        if (op->elementwise) expect(v, "statistics", in, op->columns, got.stats, want.stats);
    }
}

/* The cascade's order depends on the type: against its definition. */
static void compare_with_definition(const struct variant *v, const struct rows *in, bool at_end)
{
    bool layernorm = !strcmp(v->op, "layernorm");
    static struct answer got, want;
    run_guarded(v, in, in->x, false, at_end, &got);
    for (size_t r = 0; r < ROWS; r++) {
        float *mean = &want.y[2 * r], *second = mean + 1, variance;
        rowwise_moments(in->floats + r * in->n, in->n, v->kernel->lanes, mean, &variance);
        *second = layernorm ? 1.0f / sqrtf((variance < 0 ? 0 : variance) + 1e-5f) : variance;
    }
    expect(v, "statistics", in, 2, layernorm ? got.stats : got.y, want.y);
    for (size_t r = 0; layernorm && r < ROWS; r++)
        for (size_t i = 0; i < in->n; i++) {
            float y = (in->floats[r * in->n + i] - want.y[2 * r]) * want.y[2 * r + 1];
            round_to(in->type, &y, 1);
            float a = got.y[r * in->n + i];
            if (bits_of_float(a) != bits_of_float(y) && !(isnan(a) && isnan(y)))
                fail_msg("%s: n = %zu: y of row %zu, %zu: %a; want %a", v->id, in->n, r, i,
                         (double)a, (double)y);
        }
}

static const struct variant *twin_of(const struct registry *r, const struct variant *v)
{
    char id[ID_MAX];
    snprintf(id, sizeof id, "%s/%s/dtype=f32/isa=%s/cc=%s/policy=%s", v->op, v->algorithm, v->isa,
             v->cc, v->policy);
    return registry_find(r, id);
}

static void check_kernel(const struct registry *r, const struct variant *v, const struct rows *in)
{
    size_t manners = !strcmp(v->op, "layernorm") ? 2 : 1;
    for (int at_end = 0; at_end < 2; at_end++) {
        if (!strcmp(v->algorithm, "cascade")) {
            /* The order of the cascade's expressions is defined only under `off`. */
            if (!strcmp(v->policy, "off")) compare_with_definition(v, in, at_end);
            continue;
        }
        for (size_t k = 0; k < manners; k++)
            compare_with_twin(v, twin_of(r, v), in, k == 1, at_end);
    }
}

TEST(test_kernels)
{
    static const char *const types[] = {"bf16", "f16"};
    struct registry r = registry_of_filter(NULL);
    size_t checked = 0, stored = 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t l = 0; l < LENGTHS; l++) {
            struct rows in = rows_open(dtype_find(types[t]), lengths[l]);
            for (size_t i = 0; i < r.count; i++) {
                const struct variant *v = &r.variants[i];
                if (strcmp(v->dtype, types[t]) != 0) continue;
                stored++;
                if (v->status != STATUS_OK || !twin_of(&r, v)) continue;
                check_kernel(&r, v, &in);
                checked++;
            }
        }
    if (stored)
        assert_true(checked > 0);
    else
        skip(); /* a build without such kernels */
}

/* A promise in ulp of a 16-bit type is half an ulp plus the error of fp32; statistics have none. A
 * kernel in double moves twice the bytes. */
TEST(test_declared)
{
    struct registry r = registry_of_filter(NULL);
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        const struct variant *twin = twin_of(&r, v);
        if (!v->kernel || !strcmp(v->dtype, "f32") || !twin || !twin->kernel) continue;
        const bool is_double = !strcmp(v->dtype, "f64");
        const struct kernel *k = v->kernel, *f = twin->kernel;
        assert_string_equal(v->build->dtype, v->dtype);
        assert_true(k->bytes == (is_double ? f->bytes * 2 : f->bytes / 2));
        assert_int_equal(k->bound, f->bound);
        if (is_double) continue; /* its exponentials and promises are its own (tests/test_f64.c) */
        assert_true(k->flops == f->flops);
        if (f->promise.ulp_off > 0) {
            assert_true(k->promise.ulp_off > 0.5);
            assert_true(k->promise.ulp_off < 0.52);
        } else {
            assert_true(k->promise.ulp_off == 0);
        }
    }
}
