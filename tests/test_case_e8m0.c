// SPDX-License-Identifier: MIT
/* E8M0 codes and the GELUs in front of them, against MPFR and against the order of floats. */
#include <mpfr.h>

#include "filtered.h"
#include "guard.h"
#include "test.h"

enum { BINADE = 1 << 23, ROW = 8192, ABOVE = 64 };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void encode(const struct variant *v, const float *x, size_t n, float eps, uint8_t *y)
{
    v->kernel->run(&(struct job){.rows = 1, .n = n, .x = x, .y = y, .eps = eps});
}

/* ---- Encoders -------------------------------------------------------------------------------- */

/* Within a binade every float but the first has the same code, which can be known without
 * arithmetic. */
static size_t wrong_in_row(const struct variant *v, uint32_t first)
{
    float x[ROW];
    uint8_t got[ROW], want[ROW];
    uint32_t exponent = first / BINADE;
    for (uint32_t i = 0; i < ROW; i++) x[i] = float_of(first + i);
    memset(want, exponent < 254 ? (int)exponent + 1 : 254, ROW);
    if (first % BINADE == 0) want[0] = (uint8_t)exponent;
    encode(v, x, ROW, 0, got);
    size_t wrong = 0;
    for (size_t i = 0; memcmp(got, want, ROW) && i < ROW; i++) wrong += got[i] != want[i];
    return wrong;
}

TEST(bits_are_exact_for_all_positive_normal_floats)
{
    struct registry r = registry_or_skip("op=e8m0 algorithm=bits policy=off");
    /* A sanitized kernel takes a hundred times as long, so only some floats of every binade are
     * tested. */
    const uint32_t stride = strstr(r.variants[0].build->command, "-fsanitize") ? 37 : 1;
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        size_t wrong = 0;
        if (strcmp(v->cc, r.variants[0].cc)) continue;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : wrong)
        for (uint32_t row = 0; row < 254u * (BINADE / ROW); row += stride)
            wrong += wrong_in_row(v, BINADE + row * ROW);
        if (wrong) fail_msg("%s: %zu wrong codes", v->id, wrong);
    }
}

/* The number of floats above 2^e whose logarithm, correctly rounded, is e. */
static unsigned rounded_away(int e)
{
    mpfr_t x, y;
    unsigned m = 0;
    mpfr_init2(x, 53);
    mpfr_init2(y, 24);
    do {
        m++;
        mpfr_set_d(x, ldexp(1 + ldexp(m, -23), e), MPFR_RNDN);
        mpfr_log2(y, x, MPFR_RNDN);
    } while (mpfr_cmp_si(y, e) == 0);
    mpfr_clear(x);
    mpfr_clear(y);
    return m - 1;
}

TEST(logarithms_lose_what_a_correctly_rounded_one_loses)
{
    struct registry r = registry_or_skip("op=e8m0 algorithm=sleef,sleefu35,own,libm policy=off,on");
    for (int e = -126; e < 127; e++) {
        float x[ABOVE];
        uint32_t power = (uint32_t)(e + 127) * BINADE;
        unsigned lost = rounded_away(e);
        assert_true(lost < ABOVE);
        for (uint32_t m = 0; m < ABOVE; m++) x[m] = float_of(power + m);
        for (size_t i = 0; i < r.count; i++) {
            uint8_t got[ABOVE];
            encode(&r.variants[i], x, ABOVE, 0, got);
            for (unsigned m = 0; m < ABOVE; m++) {
                int want = e + 127 + (m > lost);
                if (got[m] != want)
                    fail_msg("%s: %a: %d, want %d", r.variants[i].id, (double)x[m], got[m], want);
            }
        }
    }
}

TEST(ends_of_the_scale)
{
    static const struct {
        float x, eps;
        int code;
    } ends[] = {{0, 1e-7f, 104},           {-0.0f, 1e-7f, 104}, {INFINITY, 0, 254},
                {0x1.fffffep127f, 0, 254}, {-1, 0, 127},        {-0x1.8p0f, 0, 128},
                {0x1p-126f, 0, 1},         {0x1p127f, 0, 254},  {0x1p126f, 0, 253}};
    struct registry r = registry_or_skip("op=e8m0 policy=off");
    for (size_t i = 0; i < r.count; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            uint8_t got;
            encode(&r.variants[i], &ends[k].x, 1, ends[k].eps, &got);
            if (got != ends[k].code)
                fail_msg("%s: %a: %d, want %d", r.variants[i].id, (double)ends[k].x, got,
                         ends[k].code);
        }
}

TEST(encoders_touch_their_rows_alone)
{
    enum { LENGTHS = 150 };
    struct registry r = registry_or_skip("op=e8m0");
    struct guard in = guard_open(LENGTHS), out = guard_open(LENGTHS);
    for (size_t i = 0; i < r.count; i++)
        for (size_t n = 0; n < LENGTHS; n++)
            for (int at_end = 0; at_end < 2; at_end++) {
                float *x = guard_place(&in, n, at_end);
                uint8_t *y = at_end ? (uint8_t *)(void *)out.end - n : (uint8_t *)(void *)out.begin;
                for (size_t k = 0; k < n; k++) x[k] = ldexpf(-1.5f, (int)k - 75);
                if (!at_end) y[n] = 0xee;
                encode(&r.variants[i], x, n, 0, y);
                for (size_t k = 0; k < n; k++) assert_int_equal(y[k], k + 127 - 75 + 1);
                if (!at_end) assert_int_equal(y[n], 0xee);
            }
}

TEST(strides_are_in_elements)
{
    const float x[6] = {1, 2, -99, 4, 8, -99};
    struct registry r = registry_or_skip("op=e8m0 algorithm=bits");
    for (size_t i = 0; i < r.count; i++) {
        uint8_t y[8] = {0};
        r.variants[i].kernel->run(
            &(struct job){.rows = 2, .n = 2, .x = x, .x_stride = 3, .y = y, .y_stride = 4});
        assert_memory_equal(y, ((uint8_t[8]){127, 128, 0, 0, 129, 130, 0, 0}), 8);
    }
}

/* ---- GELU ------------------------------------------------------------------------------------ */

static double exact_gelu(double x)
{
    return 0.5 * x * erfc(-x * M_SQRT1_2);
}

/* The error relative to the input is some ulps: where 1 + erf cancels, these formulas cannot do
 * better. */
TEST(gelus_are_right_as_far_as_they_can_be)
{
    enum { N = 1000 };
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i - N / 2) / 50;
    struct registry r = registry_or_skip("op=erfgelu policy=off,on,fast,default");
    for (size_t i = 0; i < r.count; i++) {
        r.variants[i].kernel->run(&(struct job){.rows = 1, .n = N, .x = x, .y = y});
        for (int k = 0; k < N; k++) {
            double error = fabs((double)y[k] - exact_gelu((double)x[k]));
            if (!(error <= 2e-7 * fabs((double)x[k]) + 1e-30))
                fail_msg("%s: %a: off by %g", r.variants[i].id, (double)x[k], error);
        }
    }
}

/* SLEEF's erf has the same bits on every ISA, and barriers keep compilers from changing the rest.
 */
TEST(one_gelu_is_one_bit_pattern)
{
    enum { N = 100003 };
    static const char *const filters[] = {"op=erfgelu algorithm=steps", "op=erfgelu algorithm=fma"};
    static float x[N], first[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i - N / 2) * 0x1.93p-13f;
    for (size_t f = 0; f < 2; f++) {
        struct registry r = registry_or_skip(filters[f]);
        bool have = false;
        for (size_t i = 0; i < r.count; i++) {
            r.variants[i].kernel->run(
                &(struct job){.rows = 1, .n = N, .x = x, .y = have ? y : first});
            if (have) assert_memory_equal(y, first, N * sizeof *y);
            have = true;
        }
        assert_true(have);
    }
}
