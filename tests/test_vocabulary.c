// SPDX-License-Identifier: MIT
/* Tests every operation of the vector vocabulary: on every ISA against the scalar one, bit for bit,
 * on all triples of adversarial values and on random bits; the scalar one against C; partial loads
 * and stores against guard pages; the reductions against their documented tree. */
#include <float.h>

#include "base/float_bits.h"
#include "filtered.h"
#include "guard.h"
#include "test.h"
#include "vocabulary/vocabulary.h"

enum { LANES_MAX = 16, RANDOM = 1 << 16 };

static const float values[] = {
    0.0f,
    -0.0f,
    0x1p-149f,
    -0x1p-149f,
    0x1.fffffcp-127f,
    0x1p-126f,
    -0x1p-126f,
    0x1.000002p-64f,
    0x1p-20f,
    0.49999997f,
    0.5f,
    -0.5f,
    0.75f,
    -0.75f,
    0x1.7ffffep-1f,
    0x1.fffffep-1f,
    1.0f,
    -1.0f,
    0x1.000002p+0f,
    -0x1.000002p+0f,
    1.5f,
    -1.5f,
    2.5f,
    -2.5f,
    0x1.921fb6p+1f,
    -37.0f,
    4194304.5f,
    8388607.5f,
    -8388607.5f,
    16777216.0f,
    0x1.fffffep+30f,
    0x1p+31f,
    -0x1p+31f,
    0x1p+64f,
    FLT_MAX,
    -FLT_MAX,
    INFINITY,
    -INFINITY,
    NAN,
    -NAN,
};
enum { VALUES = sizeof values / sizeof *values, TRIPLES = VALUES * VALUES * VALUES };
_Static_assert(TRIPLES % LANES_MAX == 0, "whole vectors");

/* The operands: every triple, then random bits. */
struct operands {
    float a[TRIPLES + RANDOM], b[TRIPLES + RANDOM], c[TRIPLES + RANDOM];
    float want[TRIPLES + RANDOM];
};

static uint32_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* Maps an operand into the domain; leaves it as it is if it is inside. */
static float first_operand(enum domain d, float a)
{
    bool far = fabsf(a) < 0x1p-20f || (fabsf(a) > 0x1p+20f && !isinf(a));
    if ((d == SCALE || d == SCALE_DOWN) && a != 0 && far) return copysignf(0x1.2468acp+0f, a);
    if (d == POSITIVE && (isnan(a) || isinf(a) || a == 0)) return 3.0f;
    return d == POSITIVE ? fabsf(a) : a;
}

static float second_operand(enum domain d, float b, size_t i)
{
    if (d == SCALE) return (float)((int)(i * 7919 % 507) - 252);
    if (d == SCALE_DOWN) return -(float)(i * 7919 % 191);
    return b;
}

static void fill(struct operands *o, enum domain d)
{
    uint64_t state = 1;
    for (size_t i = 0; i < TRIPLES + RANDOM; i++) {
        bool triple = i < TRIPLES;
        float a = triple ? values[i % VALUES] : float_of_bits(random_bits(&state));
        float b = triple ? values[i / VALUES % VALUES] : float_of_bits(random_bits(&state));
        o->a[i] = first_operand(d, a);
        o->b[i] = second_operand(d, b, i);
        o->c[i] = triple ? values[i / VALUES / VALUES] : float_of_bits(random_bits(&state));
    }
}

static bool same(float got, float want, bool bits)
{
    return bits_of_float(got) == bits_of_float(want) || (!bits && isnan(got) && isnan(want));
}

static void compare(const struct lanes_op *op, size_t lanes, const struct operands *o)
{
    for (size_t i = 0; i < TRIPLES + RANDOM; i += lanes) {
        float got[LANES_MAX];
        op->apply(o->a + i, o->b + i, o->c + i, got);
        for (size_t k = 0; k < lanes; k++)
            if (!same(got[k], o->want[i + k], op->bits))
                fail_msg("%s(%a, %a, %a): got %a (%08x), want %a (%08x)", op->name, o->a[i + k],
                         o->b[i + k], o->c[i + k], got[k], bits_of_float(got[k]), o->want[i + k],
                         bits_of_float(o->want[i + k]));
    }
}

/* Returns the vocabulary under test; skips the test if this CPU cannot run it. */
static const struct vocabulary *runnable(void **state)
{
    const struct vocabulary *v = *state;
    if (!cpu_runs(v->isa)) skip();
    return v;
}

static void test_against_scalar(void **state)
{
    static struct operands o;
    const struct vocabulary *v = runnable(state);
    assert_int_equal(v->op_count, vocabulary_scalar.op_count);
    for (size_t k = 0; k < v->op_count; k++) {
        fill(&o, v->ops[k].domain);
        const struct lanes_op *scalar = &vocabulary_scalar.ops[k];
        assert_string_equal(scalar->name, v->ops[k].name);
        for (size_t i = 0; i < TRIPLES + RANDOM; i++)
            scalar->apply(o.a + i, o.b + i, o.c + i, o.want + i);
        compare(&v->ops[k], v->lanes, &o);
    }
}

/* Defines an operation in C, for those that are more than one operator. */
#define MEANS(name, ...)                                                                           \
    static float c_##name(float a, float b, float c)                                               \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        __VA_ARGS__;                                                                               \
    }
MEANS(add, return a + b)
MEANS(mad, volatile float product = a * b; return product + c)
MEANS(nmad, volatile float product = a * b; return c - product)
MEANS(fma, return fmaf(a, b, c))
MEANS(fnma, return fmaf(-a, b, c))
MEANS(max, return isnan(a) || isnan(b) || (a == 0 && b == 0) ? b : fmaxf(a, b))
MEANS(min, return isnan(a) || isnan(b) || (a == 0 && b == 0) ? b : fminf(a, b))
MEANS(round, return nearbyintf(a))
/* In double a 2^n is exact, so the conversion is the only rounding. */
MEANS(scale, return (float)ldexp((double)a, (int)b))
MEANS(frexp_mantissa, int e; float m = 2 * frexpf(a, &e); return m < 1.5f ? m : m / 2)
MEANS(frexp_exponent, int e; float m = 2 * frexpf(a, &e); return (float)(m < 1.5f ? e - 1 : e))

static void test_scalar_against_c(void **state)
{
    static const struct {
        const char *name;
        float (*want)(float a, float b, float c);
    } meanings[] = {
        {"v_mad", c_mad},
        {"v_nmad", c_nmad},
        {"v_fma", c_fma},
        {"v_fnma", c_fnma},
        {"v_max", c_max},
        {"v_min", c_min},
        {"v_round", c_round},
        {"v_scale", c_scale},
        {"v_scale_down", c_scale},
        {"v_frexp_mantissa", c_frexp_mantissa},
        {"v_frexp_exponent", c_frexp_exponent},
    };
    static struct operands o;
    const struct vocabulary *v = runnable(state);
    for (size_t m = 0; m < sizeof meanings / sizeof *meanings; m++) {
        size_t k = 0;
        while (k < v->op_count && strcmp(v->ops[k].name, meanings[m].name) != 0) k++;
        assert_true(k < v->op_count);
        fill(&o, v->ops[k].domain);
        for (size_t i = 0; i < TRIPLES + RANDOM; i++)
            o.want[i] = meanings[m].want(o.a[i], o.b[i], o.c[i]);
        compare(&v->ops[k], v->lanes, &o);
    }
}

/* Loads and stores n = 0 .. lanes elements, after the first guard page and before the second. */
static void test_parts(void **state)
{
    const struct vocabulary *v = runnable(state);
    struct guard g = guard_open(LANES_MAX);
    for (size_t n = 0; n <= v->lanes; n++)
        for (int at_end = 0; at_end <= 1; at_end++) {
            float *p = guard_place(&g, n, at_end), got[LANES_MAX], source[LANES_MAX];
            for (size_t k = 0; k < LANES_MAX; k++) source[k] = (float)k + 0.5f;
            for (float *q = g.begin; q < g.end; q++) *q = -1.0f;

            v->store_part(p, source, n);
            size_t touched = 0;
            for (float *q = g.begin; q < g.end; q++) touched += *q != -1.0f;
            assert_int_equal(touched, n);
            assert_memory_equal(p, source, n * sizeof *p);

            v->load_part(p, n, -INFINITY, got);
            for (size_t k = 0; k < v->lanes; k++)
                assert_true(got[k] == (k < n ? source[k] : -INFINITY));
            v->first(source, n, 7.0f, got);
            for (size_t k = 0; k < v->lanes; k++) assert_true(got[k] == (k < n ? source[k] : 7.0f));
        }
}

static void test_any(void **state)
{
    const struct vocabulary *v = runnable(state);
    float zeros[LANES_MAX] = {0}, b[LANES_MAX] = {0};
    assert_false(v->any_less(zeros, b));
    for (size_t k = 0; k < v->lanes; k++) {
        b[k] = NAN;
        assert_false(v->any_less(zeros, b));
        b[k] = 1.0f;
        assert_true(v->any_less(zeros, b));
        b[k] = 0.0f;
    }
}

static float tree(const float *a, size_t lanes, float (*join)(float, float, float))
{
    float t[LANES_MAX];
    memcpy(t, a, lanes * sizeof *t);
    for (size_t w = lanes / 2; w; w /= 2)
        for (size_t k = 0; k < w; k++) t[k] = join(t[k], t[k + w], 0.0f);
    return t[0];
}

static void test_reductions(void **state)
{
    const struct vocabulary *v = runnable(state);
    uint64_t seed = 2;
    for (size_t trial = 0; trial < RANDOM; trial++) {
        float a[LANES_MAX];
        for (size_t k = 0; k < LANES_MAX; k++) {
            uint32_t r = random_bits(&seed);
            a[k] = trial % 2 ? values[r % VALUES] : (float)(int32_t)r * 0x1p-31f;
        }
        assert_true(same(v->sum(a), tree(a, v->lanes, c_add), false));
        assert_true(same(v->hmax(a), tree(a, v->lanes, c_max), true));
    }
}

#define ON(isa, against)                                                                           \
    TEST_WITH(against##_##isa, against, &vocabulary_##isa)                                         \
    TEST_WITH(test_parts_##isa, test_parts, &vocabulary_##isa)                                     \
    TEST_WITH(test_any_##isa, test_any, &vocabulary_##isa)                                         \
    TEST_WITH(test_reductions_##isa, test_reductions, &vocabulary_##isa)
ON(scalar, test_scalar_against_c)
ON(sse, test_against_scalar)
ON(avx2, test_against_scalar)
ON(avx512, test_against_scalar)
