// SPDX-License-Identifier: MIT
/* The lab's own functions give an element the same bits wherever it is in a row and whatever is
 * beside it, although kernels choose their code path by whole vectors and by the beginning of a
 * row. The correctly rounded rsqrt is proved for every input. */
#include "filtered.h"
#include "test.h"
#include "model/registry.h"

enum { N = 295 }; /* longer than where long rows begin; whole vectors and a tail */

/* Fills elements below `from` with values for which gelu needs no tail: small ones, those from 15
 * on, infinities, NaN. The others have sizes from 2^-20 to 2^20, and some are huge. Signs
 * alternate. */
static void fill(float x[N], size_t from)
{
    for (size_t i = 0; i < N; i++) {
        float size = ldexpf(1.0f + (float)i / N, (int)(i % 40) - 20);
        if (i % 29 == 0) size = 1e30f;
        if (i < from) size = i % 2 ? 0.001f * (float)(1 + i) : 15.0f + (float)i;
        if (i < from && i % 11 == 5) size = i % 22 == 5 ? INFINITY : NAN;
        x[i] = i % 3 ? size : -size;
    }
}

static bool is_tested(const struct variant *v)
{
    static const char *const ops[] = {"exp",   "exp2",     "expm1", "log",     "log2",
                                      "log1p", "tanh",     "erf",   "sigmoid", "silu",
                                      "gelu",  "softplus", "sin",   "cos",     "rsqrt"};
    if (v->status != STATUS_OK || v->study || strcmp(v->algorithm, "own") != 0 ||
        strcmp(v->dtype, "f32") != 0)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(v->op, ops[i])) return policy_promises(v->policy) != PROMISES_NOTHING;
    return false;
}

/* The number of elements whose bits differ when they are computed alone. */
static size_t others_alone(const struct variant *v, const float x[N])
{
    float y[N], alone;
    const struct job row = row_job(x, N, y, NULL);
    size_t others = 0;
    v->kernel->run(&row);
    for (size_t i = 0; i < N; i++) {
        const struct job one = row_job(x + i, 1, &alone, NULL);
        v->kernel->run(&one);
        others += memcmp(&alone, &y[i], sizeof alone) != 0 && !(isnan(alone) && isnan(y[i]));
    }
    return others;
}

TEST(an_element_has_the_same_bits_alone)
{
    static const size_t beginnings[] = {0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 160, 255, 256, N};
    struct registry r = registry_of_filter(NULL);
    size_t tested = 0, wrong = 0;
    for (size_t k = 0; k < r.count; k++) {
        if (!is_tested(&r.variants[k])) continue;
        size_t others = 0;
        for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++) {
            float x[N];
            fill(x, beginnings[b]);
            others += others_alone(&r.variants[k], x);
        }
        if (others) print_error("%s: %zu elements differ alone\n", r.variants[k].id, others);
        wrong += others > 0;
        tested++;
    }
    assert_true(tested > 0);
    assert_int_equal(wrong, 0);
}

/* ---- rsqrt, correctly rounded ---------------------------------------------------------------- */

/* Returns |x q^2 - 1| for x = m 2^(odd - 23) and the midpoint q 2^-25, in units of 2^-73, and
 * writes whether x q^2 < 1, so that 1 / sqrt(x) is above the midpoint. */
static uint64_t distance_to_middle(uint64_t m, unsigned odd, uint64_t q, bool *is_above)
{
    unsigned __int128 square = (unsigned __int128)m * (q * q) << odd,
                      one = (unsigned __int128)1 << 73;
    *is_above = square < one;
    unsigned __int128 distance = *is_above ? one - square : square - one;
    return distance >> 63 ? UINT64_MAX : (uint64_t)distance;
}

/* Every x of the binades [1, 2) and [2, 4), of which all others are multiples by powers of 4:
 * 1 / sqrt(x) lies between the midpoints beside the result, and not within 2^-51.75 of itself of
 * one, which is what simd/correct/rsqrt_correct.c relies on. */
TEST(rsqrt_is_correctly_rounded)
{
    enum { BLOCK = 4096 };
    struct registry r = registry_or_skip("op=rsqrt algorithm=correct dtype=f32 policy=off");
    uint64_t nearest = UINT64_MAX, wrong = 0;
    for (uint32_t first = 0x3f800000; first < 0x40800000; first += BLOCK) {
        float x[BLOCK], y[BLOCK], other[BLOCK];
        for (uint32_t i = 0; i < BLOCK; i++) memcpy(&x[i], &(uint32_t){first + i}, sizeof *x);
        struct job j = {
            .rows = 1, .n = BLOCK, .x = x, .x_stride = BLOCK, .y = y, .y_stride = BLOCK};
        r.variants[0].kernel->run(&j);
        j.y = other;
        for (size_t v = 1; v < r.count; v++) {
            r.variants[v].kernel->run(&j);
            wrong += memcmp(other, y, sizeof y) != 0;
        }
        for (uint32_t i = 0; i < BLOCK; i++) {
            unsigned odd = first >= 0x40000000;
            uint64_t m = ((first + i) & 0x7fffff) | 0x800000, q = (uint64_t)(y[i] * 0x1p25);
            bool above_low, above_high;
            uint64_t low = distance_to_middle(m, odd, q - 1, &above_low);
            uint64_t high = distance_to_middle(m, odd, q + 1, &above_high);
            wrong += !above_low || above_high;
            if (low < nearest) nearest = low;
            if (high < nearest) nearest = high;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(ldexp((double)nearest, -74) > 0x1p-52 * 1.19); /* 2^-51.75 */
}
