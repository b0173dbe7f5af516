// SPDX-License-Identifier: MIT
/* The 16-bit arithmetic of simd/studies/rounded.h and its native form: exp and log over all 65,536
 * values against MPFR, the other operations and the kernels against a scalar reference that rounds
 * exact doubles, in every variant of this build; and 10^7 rows of the reductions. On a CPU without
 * AVX-512 FP16 the native header is tested over emulated instructions, and the native objects are
 * skipped. */
// test: 11 s of a core
#include <mpfr.h>

#include "filtered.h"
#include "guard.h"
#include "kernel.h"
#include "test.h"
#include "model/registry.h"
#include "vocabulary/rounded.h"

enum { VALUES = 1 << 16, LANES = ROUNDED_LANES };

/* ---- The formats ----------------------------------------------------------------------------- */

struct format {
    const char *dtype;
    int fraction, bias;               /* fraction: its bits; bias: of the exponent */
    double smallest_normal, overflow; /* overflow: the smallest size that rounds to infinity */
    /* Results for every value, indexed by its bits. */
    double value[VALUES];
    uint16_t exp[VALUES], log[VALUES]; /* by MPFR, but for simd/studies/rounded.h's exceptions */
};

static struct format fp16 = {
    .dtype = "f16", .fraction = 10, .bias = 15, .smallest_normal = 0x1p-14, .overflow = 65520};
static struct format bf16 = {.dtype = "bf16",
                             .fraction = 7,
                             .bias = 127,
                             .smallest_normal = 0x1p-126,
                             .overflow = 0x1.ffp127};

static uint16_t infinity_of(const struct format *f)
{
    return (uint16_t)((2 * f->bias + 1) << f->fraction);
}

/* Returns the nearest value of the format, ties to even; all NaNs become one NaN. */
static uint16_t nearest(const struct format *f, double a)
{
    uint16_t sign = signbit(a) ? 0x8000 : 0, infinity = infinity_of(f);
    double size = fabs(a);
    if (isnan(a)) return (uint16_t)(infinity + 1);
    if (size >= f->overflow) return sign | infinity;
    if (size < f->smallest_normal)
        return sign | (uint16_t)nearbyint(size / f->smallest_normal * (1 << f->fraction));
    uint64_t bits, cut = (uint64_t)(52 - f->fraction);
    memcpy(&bits, &size, sizeof bits);
    bits = (bits + (1ull << (cut - 1)) - 1 + (bits >> cut & 1)) >> cut;
    return sign | (uint16_t)(bits - ((uint64_t)(1023 - f->bias) << f->fraction));
}

static double value_of(const struct format *f, uint16_t bits)
{
    int exponent = (bits & 0x7fff) >> f->fraction, fraction = bits & ((1 << f->fraction) - 1);
    double size = exponent == 2 * f->bias + 1 ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent
                      ? ldexp((1 << f->fraction) + fraction, exponent - f->bias - f->fraction)
                      : ldexp(fraction, 1 - f->bias - f->fraction);
    return bits & 0x8000 ? -size : size;
}

typedef int mpfr_function(mpfr_t, const mpfr_t, mpfr_rnd_t);

/* Computes with MPFR in the format's precision and exponent range: the result is rounded once, also
 * if it is subnormal. */
static uint16_t rounded_by_mpfr(const struct format *f, mpfr_function *function, double a)
{
    mpfr_t y, x;
    mpfr_init2(x, 53);
    mpfr_init2(y, f->fraction + 1);
    mpfr_set_d(x, a, MPFR_RNDN);
    mpfr_set_emin(2 - f->bias - f->fraction);
    mpfr_set_emax(f->bias + 1);
    int inexact = function(y, x, MPFR_RNDN);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    double result = mpfr_get_d(y, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_clears(x, y, NULL);
    return nearest(f, result);
}

static void fill(struct format *f)
{
    for (uint32_t i = 0; i < VALUES; i++) {
        f->value[i] = value_of(f, (uint16_t)i);
        f->exp[i] = rounded_by_mpfr(f, mpfr_exp, f->value[i]);
        f->log[i] = rounded_by_mpfr(f, mpfr_log, f->value[i]);
    }
}

/* The exceptions: rounded to fp32 first, these results become midpoints of fp16, which then round
 * to the even neighbour, the wrong one. */
static void make_exceptions(struct format *f)
{
    assert_int_equal(f->exp[nearest(f, 0x1.de4p-8)]++, nearest(f, 0x1.01cp+0));
    assert_int_equal(f->exp[nearest(f, 0x1.73cp-6)]++, nearest(f, 0x1.05cp+0));
    assert_int_equal(f->log[nearest(f, 0x1.5ep-8)]++, nearest(f, -0x1.4ecp+2));
}

static int set_up(void **state)
{
    (void)state;
    fill(&fp16);
    fill(&bf16);
    make_exceptions(&fp16);
    return 0;
}

static bool is_nan(const struct format *f, uint16_t a)
{
    return isnan(f->value[a]);
}

static bool same(const struct format *f, uint16_t got, uint16_t want)
{
    return got == want || (is_nan(f, got) && is_nan(f, want));
}

static uint16_t add(const struct format *f, uint16_t a, uint16_t b)
{
    return nearest(f, f->value[a] + f->value[b]); /* exact in fp64, or far from midpoints */
}

static uint16_t subtract(const struct format *f, uint16_t a, uint16_t b)
{
    return nearest(f, f->value[a] - f->value[b]);
}

static uint16_t larger(const struct format *f, uint16_t a, uint16_t b)
{
    return f->value[a] > f->value[b] ? a : b;
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* nearest(), the reference for everything else, must round as MPFR does, also midpoints and their
 * neighbours. */
static void check_nearest(const struct format *f)
{
    for (uint32_t i = 0; i < infinity_of(f); i++) {
        double low = f->value[i],
               high = i + 1u == infinity_of(f) ? ldexp(1, f->bias + 1) : f->value[i + 1];
        double middle = (low + high) / 2;
        const double at[] = {low, middle, nextafter(middle, low), nextafter(middle, high)};
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(nearest(f, at[k]), rounded_by_mpfr(f, mpfr_set, at[k]));
            assert_int_equal(nearest(f, -at[k]), rounded_by_mpfr(f, mpfr_set, -at[k]));
        }
    }
}

TEST(test_nearest)
{
    check_nearest(&fp16);
    check_nearest(&bf16);
}

/* ---- The vocabularies ------------------------------------------------------------------------ */

struct subject {
    const struct rounded_vocabulary *words;
    const struct format *format;
};

/* Returns the vocabulary under test; skips the test if this CPU cannot run it. */
static const struct subject *runnable(void **state)
{
    const struct subject *s = *state;
    if (!cpu_runs(s->words->isa)) skip();
    return s;
}

static void check_unary(const struct subject *s, const char *name,
                        void (*apply)(const uint16_t *, uint16_t *), const uint16_t *want)
{
    for (uint32_t i = 0; i < VALUES; i += LANES) {
        uint16_t a[LANES], y[LANES];
        for (uint32_t k = 0; k < LANES; k++) a[k] = (uint16_t)(i + k);
        apply(a, y);
        for (uint32_t k = 0; k < LANES; k++)
            if (!same(s->format, y[k], want[i + k]))
                fail_msg("%s %s %s(%a): got %a, want %a", s->words->isa, s->format->dtype, name,
                         s->format->value[i + k], s->format->value[y[k]],
                         s->format->value[want[i + k]]);
    }
}

static void test_unary(void **state)
{
    const struct subject *s = runnable(state);
    check_unary(s, "exp", s->words->exp, s->format->exp);
    check_unary(s, "log", s->words->log, s->format->log);
}

static uint16_t limited(const struct format *f, uint16_t a, uint16_t limit)
{
    return f->value[a] >= f->value[limit] ? infinity_of(f) : a;
}

static const struct binary {
    const char *name;
    size_t offset; /* offset in struct rounded_vocabulary */
    uint16_t (*want)(const struct format *, uint16_t, uint16_t);
} binaries[] = {
    {"add", offsetof(struct rounded_vocabulary, add), add},
    {"sub", offsetof(struct rounded_vocabulary, sub), subtract},
    {"max", offsetof(struct rounded_vocabulary, max), larger},
    {"overflow", offsetof(struct rounded_vocabulary, overflow), limited},
};
enum { BINARIES = sizeof binaries / sizeof *binaries };

static void check_binary(const struct subject *s, const struct binary *o, const uint16_t *a,
                         const uint16_t *b)
{
    void (*apply)(const uint16_t *, const uint16_t *, uint16_t *);
    uint16_t y[LANES];
    memcpy(&apply, (const char *)s->words + o->offset, sizeof apply);
    apply(a, b, y);
    for (size_t k = 0; k < LANES; k++)
        if (!same(s->format, y[k], o->want(s->format, a[k], b[k])))
            fail_msg("%s %s %s(%a, %a): got %a, want %a", s->words->isa, s->format->dtype, o->name,
                     s->format->value[a[k]], s->format->value[b[k]], s->format->value[y[k]],
                     s->format->value[o->want(s->format, a[k], b[k])]);
}

/* Combines every value with a few, among them the bounds of each regime, and tries random pairs. */
static void test_binary(void **state)
{
    const struct subject *s = runnable(state);
    uint16_t infinity = infinity_of(s->format), one = nearest(s->format, 1);
    const uint16_t few[] = {0,
                            0x8000,
                            1,
                            0x8001,
                            (uint16_t)(1 << s->format->fraction),
                            one,
                            (uint16_t)(one | 0x8000),
                            (uint16_t)(one + 1),
                            (uint16_t)(infinity - 1),
                            infinity,
                            (uint16_t)(infinity | 0x8000),
                            (uint16_t)(infinity + 1)};
    uint64_t seed = 1;
    uint16_t a[LANES], b[LANES];
    for (size_t o = 0; o < BINARIES; o++) {
        for (uint32_t i = 0; i < VALUES * (sizeof few / sizeof *few); i += LANES) {
            for (uint32_t k = 0; k < LANES; k++) a[k] = (uint16_t)(i + k), b[k] = few[i / VALUES];
            check_binary(s, &binaries[o], a, b);
            check_binary(s, &binaries[o], b, a);
        }
        for (uint32_t i = 0; i < 1u << 21; i += LANES) {
            for (size_t k = 0; k < LANES; k++) {
                uint32_t r = next_random(&seed);
                a[k] = (uint16_t)r, b[k] = (uint16_t)(r >> 16);
                if (i % 2) b[k] = (uint16_t)((a[k] ^ 0x8000) + (r >> 16) % 4096); /* they cancel */
            }
            check_binary(s, &binaries[o], a, b);
        }
    }
}

typedef uint16_t join(const struct format *, uint16_t, uint16_t);

/* Folds lanes i and i + 16, then those 8, 4, 2 and 1 apart. */
static uint16_t tree(const struct format *f, const uint16_t *a, join *join)
{
    uint16_t t[LANES];
    memcpy(t, a, sizeof t);
    for (size_t w = LANES / 2; w; w /= 2)
        for (size_t k = 0; k < w; k++) t[k] = join(f, t[k], t[k + w]);
    return t[0];
}

static void check_every_lane(const struct format *f, const uint16_t *y, uint16_t want)
{
    for (size_t k = 0; k < LANES; k++)
        if (f->value[y[k]] != 0 || f->value[want] != 0) assert_true(same(f, y[k], want));
}

static void test_folds(void **state)
{
    const struct subject *s = runnable(state);
    const struct format *f = s->format;
    uint64_t seed = 2;
    for (size_t trial = 0; trial < 1 << 15; trial++) {
        uint16_t a[LANES], y[LANES];
        bool some_nan = false;
        for (size_t k = 0; k < LANES; k++) {
            uint32_t r = next_random(&seed);
            a[k] = trial % 2 ? (uint16_t)r : nearest(f, (int32_t)r * 0x1p-28);
            some_nan |= is_nan(f, a[k]);
        }
        s->words->sum(a, y);
        check_every_lane(f, y, tree(f, a, add));
        assert_int_equal(s->words->any_nan(a) != 0, some_nan);
        s->words->hmax(a, y);
        if (!some_nan) check_every_lane(f, y, tree(f, a, larger));
        assert_true(some_nan || s->words->value(a) == f->value[a[0]]);
        s->words->all(a, y);
        check_every_lane(f, y, a[0]);
    }
}

static void test_parts(void **state)
{
    const struct subject *s = runnable(state);
    struct guard g = guard_open(LANES);
    for (size_t n = 0; n <= LANES; n++)
        for (int at_end = 0; at_end <= 1; at_end++) {
            /* An odd number of elements ends at the guard as well. */
            uint16_t source[LANES], got[LANES];
            uint16_t *begin = (uint16_t *)(void *)g.begin, *end = (uint16_t *)(void *)g.end;
            uint16_t *p = at_end ? end - n : begin;
            for (size_t k = 0; k < LANES; k++) source[k] = nearest(s->format, (double)k + 0.5);
            for (uint16_t *q = begin; q < end; q++) *q = 0xffff;
            s->words->store_part(p, source, n);
            size_t touched = 0;
            for (uint16_t *q = begin; q < end; q++) touched += *q != 0xffff;
            assert_int_equal(touched, n);
            assert_memory_equal(p, source, n * sizeof *p);
            s->words->load_part(p, n, -INFINITY, got);
            for (size_t k = 0; k < LANES; k++)
                assert_int_equal(got[k], k < n ? source[k] : infinity_of(s->format) | 0x8000);
        }
}

/* ---- The kernels, in every variant of the build ---------------------------------------------- */

struct rows {
    size_t rows, n;
    uint16_t *x;
};

/* Runs a kernel; returns y[i] for softplus, y[row] otherwise. */
static uint16_t *run(const struct kernel *k, const struct rows *r, float limit)
{
    bool wide = !strcmp(k->op, "softplus");
    uint16_t *y = malloc(r->rows * (wide ? r->n : 1) * sizeof *y + 1);
    float *scratch = aligned_alloc(64, ((2 * r->n + 256) * sizeof *scratch + 63) / 64 * 64);
    assert_true(y && scratch);
    const struct job job = {.rows = r->rows,
                            .n = r->n,
                            .x = r->x,
                            .x_stride = r->n,
                            .y = y,
                            .y_stride = wide ? r->n : 1,
                            .scratch = scratch,
                            .operand = &limit};
    k->run(&job);
    free(scratch);
    return y;
}

/* The kernels' sum in scalar steps. shift: the row's maximum, or 0. */
static uint16_t pairwise(const struct format *f, const uint16_t *x, size_t n, uint16_t shift)
{
    uint16_t level[64][LANES], lanes[LANES];
    size_t depth = 0;
    if (!n) return 0;
    for (size_t i = 0, count = 0; i < n; i += LANES, count++) {
        for (size_t k = 0; k < LANES; k++)
            lanes[k] = i + k < n ? f->exp[shift ? subtract(f, x[i + k], shift) : x[i + k]] : 0;
        for (size_t carry = count; carry & 1; carry >>= 1) {
            depth--;
            for (size_t k = 0; k < LANES; k++) lanes[k] = add(f, level[depth][k], lanes[k]);
        }
        memcpy(level[depth++], lanes, sizeof lanes);
    }
    for (depth--; depth; depth--)
        for (size_t k = 0; k < LANES; k++)
            level[depth - 1][k] = add(f, level[depth - 1][k], level[depth][k]);
    return tree(f, level[0], add);
}

static uint16_t sequential(const struct format *f, const uint16_t *x, size_t n, uint16_t shift)
{
    uint16_t sum = 0;
    for (size_t i = 0; i < n; i++) sum = add(f, sum, f->exp[subtract(f, x[i], shift)]);
    return sum;
}

static uint16_t naive(const struct format *f, const uint16_t *x, size_t n)
{
    return f->log[pairwise(f, x, n, 0)];
}

typedef uint16_t sum_function(const struct format *, const uint16_t *, size_t, uint16_t);

static uint16_t max_plus_log(const struct format *f, const uint16_t *x, size_t n, sum_function *sum)
{
    uint16_t max = infinity_of(f) | 0x8000;
    for (size_t i = 0; i < n; i++) {
        if (is_nan(f, x[i])) return x[i];
        max = larger(f, max, x[i]);
    }
    if (isinf(f->value[max])) return max;
    return add(f, max, f->log[sum(f, x, n, max)]);
}

static uint16_t shifted(const struct format *f, const uint16_t *x, size_t n)
{
    return max_plus_log(f, x, n, pairwise);
}

static uint16_t one_by_one(const struct format *f, const uint16_t *x, size_t n)
{
    return max_plus_log(f, x, n, sequential);
}

static const struct reduction {
    const char *algorithm;
    const struct format *format;
    uint16_t (*want)(const struct format *, const uint16_t *x, size_t n);
    bool finite_maximum; /* rows without one have no defined result */
    const struct kernel *emulated;
} reductions[] = {
    {"halfnaive", &fp16, naive, false, &emulated_logsumexp_halfnaive},
    {"halfshifted", &fp16, shifted, false, &emulated_logsumexp_halfshifted},
    {"halfsix", &fp16, shifted, true, &emulated_logsumexp_halfsix},
    {"halfsequential", &fp16, one_by_one, false, &emulated_logsumexp_halfsequential},
    {"brainnaive", &bf16, naive, false, NULL},
    {"brainshifted", &bf16, shifted, false, NULL},
    {"brainsequential", &bf16, one_by_one, false, NULL},
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

/* Under a policy that promises nothing, a compiler may lose the infinities that fill up a vector:
 * the test prints what it made of a row. */
static void check_rows(const struct reduction *d, const struct kernel *k, const char *name,
                       const char *policy, const struct rows *r, const uint16_t *want)
{
    bool promises = policy_promises(policy) != PROMISES_NOTHING;
    uint16_t *y = run(k, r, 0);
    size_t other = 0;
    for (size_t i = 0; i < r->rows; i++) {
        if (d->finite_maximum && !isfinite(d->format->value[want[i]])) continue;
        if (same(d->format, y[i], want[i])) continue;
        other++;
        if (promises)
            fail_msg("%s: row %zu of n = %zu, x[0] = %a: got %a, want %a", name, i, r->n,
                     r->n ? d->format->value[r->x[i * r->n]] : 0.0, d->format->value[y[i]],
                     d->format->value[want[i]]);
    }
    if (other)
        print_message("%s: %zu of %zu rows of n = %zu are not as written\n", name, other, r->rows,
                      r->n);
    free(y);
}

/* Fills rows in one of three ways: with every bit pattern, with sums that overflow without a shift,
 * or with equal elements. */
static void fill_rows(const struct format *f, struct rows *r, uint64_t *seed)
{
    unsigned kind = next_random(seed) % 3;
    for (size_t i = 0; i < r->rows; i++) {
        uint16_t equal = nearest(f, (int32_t)next_random(seed) * 0x1p-27);
        for (size_t k = 0; k < r->n; k++) {
            uint32_t random = next_random(seed);
            r->x[i * r->n + k] = kind == 0   ? (uint16_t)random
                                 : kind == 1 ? nearest(f, (int32_t)random * 0x1p-27)
                                             : equal;
        }
    }
}

static uint16_t *wanted(const struct reduction *d, const struct rows *r)
{
    uint16_t *want = malloc(r->rows * sizeof *want + 1);
    assert_non_null(want);
#pragma omp parallel for
    for (size_t i = 0; i < r->rows; i++) want[i] = d->want(d->format, r->x + i * r->n, r->n);
    return want;
}

static bool is_of(const struct variant *v, const char *algorithm)
{
    return v->kernel && v->study && !strcmp(v->algorithm, algorithm);
}

/* If its policy allows, a compiler may reorder a chain of native additions (clang -ffast-math
 * does); emulated additions consist of conversions, which it has to keep. */
static bool may_be_reordered(const struct variant *v)
{
    return !strcmp(v->isa, "avx512fp16") && !strcmp(v->algorithm, "halfsequential") &&
           policy_promises(v->policy) == PROMISES_NOTHING;
}

/* Checks each variant that runs here, of which at least one is for AVX2; returns their number. */
static size_t each_variant(const struct reduction *d, const struct rows *r, const uint16_t *want,
                           const struct registry *registry)
{
    size_t count = 0;
    for (size_t i = 0; i < registry->count; i++) {
        const struct variant *v = &registry->variants[i];
        if (!is_of(v, d->algorithm) || v->status != STATUS_OK || may_be_reordered(v)) continue;
        check_rows(d, v->kernel, v->id, v->policy, r, want);
        count++;
    }
    return count;
}

TEST(test_every_variant)
{
    static const size_t lengths[] = {0, 1, 2, 31, 32, 33, 64, 95, 97, 200, 1025};
    const struct registry registry = registry_of_filter(NULL);
    uint64_t seed = 3;
    for (size_t d = 0; d < REDUCTIONS; d++) {
        const struct reduction *reduction = &reductions[d];
        size_t ran = 0;
        for (size_t l = 0; l < 3 * sizeof lengths / sizeof *lengths; l++) {
            struct rows r = {.rows = 100, .n = lengths[l / 3]};
            r.x = malloc(r.rows * r.n * sizeof *r.x + 1);
            fill_rows(reduction->format, &r, &seed);
            uint16_t *want = wanted(reduction, &r);
            ran += each_variant(reduction, &r, want, &registry);
            if (reduction->emulated && cpu_runs("avx512"))
                check_rows(reduction, reduction->emulated, "emulated", "off", &r, want);
            free(want);
            free(r.x);
        }
        assert_true(ran > 0 || !is_of(&registry.variants[0], reduction->algorithm));
    }
}

/* log(exp(x)) for all values, and softplus of all values with three limits. */
TEST(test_every_value)
{
    static const float limits[] = {0x1p15f, 65504.0f, INFINITY};
    const struct registry registry = registry_of_filter(NULL);
    uint16_t *x = malloc(VALUES * sizeof *x);
    for (uint32_t i = 0; i < VALUES; i++) x[i] = (uint16_t)i;
    const struct rows single = {.rows = VALUES, .n = 1, .x = x},
                      whole = {.rows = 1, .n = VALUES, .x = x};
    for (size_t d = 0; d < REDUCTIONS; d++) {
        uint16_t *want = wanted(&reductions[d], &single);
        each_variant(&reductions[d], &single, want, &registry);
        free(want);
    }
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        for (size_t i = 0; i < registry.count; i++) {
            const struct variant *v = &registry.variants[i];
            bool runs = is_of(v, "halflimit") && v->status == STATUS_OK;
            if (!runs) continue;
            uint16_t *y = run(v->kernel, &whole, limits[l]),
                     limit = nearest(&fp16, (double)limits[l]);
            for (uint32_t k = 0; k < VALUES; k++) {
                uint16_t sum = add(&fp16, nearest(&fp16, 1), fp16.exp[k]);
                uint16_t want = fp16.log[limited(&fp16, sum, limit)];
                if (policy_promises(v->policy) == PROMISES_NOTHING &&
                    !(isfinite(fp16.value[k]) && isfinite(fp16.value[want])))
                    continue;
                assert_true(same(&fp16, y[k], want));
            }
            free(y);
        }
    free(x);
}

static bool runs_off(const struct variant *v, const char *algorithm)
{
    return is_of(v, algorithm) && v->status == STATUS_OK && !strcmp(v->policy, "off");
}

/* Returns whether variant i is the first of its ISA under `off`: one compiler's is enough, as the
 * tests above have the others. */
static bool is_first(const struct registry *r, size_t i, const char *algorithm)
{
    const struct variant *v = r->variants;
    size_t k = 0;
    while (k < i && !(runs_off(&v[k], algorithm) && !strcmp(v[k].isa, v[i].isa))) k++;
    return k == i && runs_off(&v[i], algorithm);
}

/* 10^7 rows, naive and shifted alternating, by AVX2, AVX-512, native and emulated kernels and the
 * reference. */
TEST(test_ten_million_rows)
{
    enum { ROWS = 100000, BLOCKS = 100, N_MAX = 40 };
    const struct registry registry = registry_of_filter(NULL);
    uint16_t *x = malloc(ROWS * N_MAX * sizeof *x);
    uint64_t seed = 4;
    for (size_t block = 0; block < BLOCKS; block++) {
        const struct reduction *d = &reductions[block % 2];
        struct rows r = {.rows = ROWS, .n = 1 + next_random(&seed) % N_MAX, .x = x};
        fill_rows(d->format, &r, &seed);
        uint16_t *want = wanted(d, &r);
        for (size_t i = 0; i < registry.count; i++) {
            const struct variant *v = &registry.variants[i];
            if (is_first(&registry, i, d->algorithm))
                check_rows(d, v->kernel, v->id, v->policy, &r, want);
        }
        if (cpu_runs("avx512")) check_rows(d, d->emulated, "emulated", "off", &r, want);
        free(want);
    }
    free(x);
}

/* The native objects, on a CPU with AVX-512 FP16. */
TEST(test_native)
{
    const struct registry registry = registry_of_filter(NULL);
    size_t objects = 0, ran = 0;
    char reason[128] = "this build has none";
    for (size_t i = 0; i < registry.count; i++) {
        const struct variant *v = &registry.variants[i];
        if (strcmp(v->isa, "avx512fp16") != 0 || !v->kernel) continue;
        objects++;
        ran += v->status == STATUS_OK;
        snprintf(reason, sizeof reason, "%s", v->reason);
        assert_int_equal(v->build->counts.undecoded, 0);
        assert_true(v->build->counts.add > 0 && v->build->counts.zmm > 0);
    }
    if (ran < objects || !objects) {
        print_message("avx512fp16: %zu objects not run: %s\n", objects, reason);
        skip();
    }
}

#define ON(vocabulary, format)                                                                     \
    static const struct subject vocabulary##_subject = {&rounded_##vocabulary, &format};           \
    TEST_WITH(test_unary_##vocabulary, test_unary, &vocabulary##_subject)                          \
    TEST_WITH(test_binary_##vocabulary, test_binary, &vocabulary##_subject)                        \
    TEST_WITH(test_folds_##vocabulary, test_folds, &vocabulary##_subject)                          \
    TEST_WITH(test_parts_##vocabulary, test_parts, &vocabulary##_subject)
ON(avx2_fp16, fp16)
ON(avx512_fp16, fp16)
ON(emulated_fp16, fp16)
ON(avx2_bf16, bf16)
ON(avx512_bf16, bf16)

TEST_GROUP(set_up, NULL)
