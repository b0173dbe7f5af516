// SPDX-License-Identifier: MIT
#include "rows.h"

#include <math.h>
#include <stdint.h>

#include "base/random.h"

/* A number uniform in [-1, 1), a function of (n, place, index). */
static float uniform(size_t n, size_t place, size_t i)
{
    uint64_t state = i * RANDOM_STEP + n * 0xd1342543de82ef95u + place * 0x2545f491u;
    return (float)(2 * random_unit(&state) - 1);
}

/* The sum of twelve uniform numbers: variance 1, bounded tails. */
static float normal(size_t n, size_t place, size_t i)
{
    float sum = 0;
    for (size_t k = 0; k < 12; k++) sum += uniform(n, place, 12 * i + k);
    return 0.5f * sum;
}

static void fill_normal(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = normal(n, place, i);
}
static void fill_equal(float *x, size_t n, size_t place)
{
    (void)place;
    for (size_t i = 0; i < n; i++) x[i] = 1.7f;
}
static void fill_zeros(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = (i + place) % 3 ? 0.0f : -0.0f;
}
static void fill_minus_inf(float *x, size_t n, size_t place)
{
    (void)place;
    for (size_t i = 0; i < n; i++) x[i] = -INFINITY;
}
static void fill_masked(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = (i + place) % 3 ? -INFINITY : normal(n, place, i);
}
static void fill_one_finite(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = i == place ? -3.25f : -INFINITY;
}
static void fill_one_plus_inf(float *x, size_t n, size_t place)
{
    fill_normal(x, n, place);
    if (n) x[place] = INFINITY;
}
static void fill_one_nan(float *x, size_t n, size_t place)
{
    fill_normal(x, n, place);
    if (n) x[place] = place % 2 ? -NAN : NAN;
}
static void fill_nan_in_infinities(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = i % 2 ? INFINITY : -INFINITY;
    if (n) x[place] = NAN;
}
static void fill_one_high(float *x, size_t n, size_t place)
{
    fill_normal(x, n, place);
    if (n) x[place] = 20.0f;
}
static void fill_subnormal(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = 0x1p-127f * uniform(n, place, i);
}
static void fill_offset(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = 1e4f + normal(n, place, i);
}
static void fill_alternating(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = (i + place) % 2 ? 1e4f : -1e4f;
}
/* Rows whose softmax numerators are normal, subnormal and zero, so that exp returns each kind of
 * result. */
static void fill_deep(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = -10.0f + 100.0f * uniform(n, place, i);
}
static void fill_ascending(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)i * 0.01f + (float)place;
}
static void fill_wide(float *x, size_t n, size_t place)
{
    for (size_t i = 0; i < n; i++) {
        float exponent = roundf(145.0f * uniform(n, place, 2 * i)) - 10.0f;
        x[i] = ldexpf(1.5f + 0.5f * uniform(n, place, 2 * i + 1), (int)fminf(exponent, 126.0f));
        if (i % 5 == 4) x[i] = -x[i];
    }
}

/* One element far above the others, behind those that a kernel may take as a sample. */
static void fill_risen(float *x, size_t n, size_t place)
{
    static const float rise[] = {20, 30, 34, 35, 36, 62, 90, 150, 241, 300, 354, 400, 711, 7e4f};
    enum { RISES = sizeof rise / sizeof *rise };
    fill_normal(x, n, place);
    if (n) x[place] += rise[(n + place) % RISES];
}

const struct row_family row_families[] = {
    {"normal", true, false, fill_normal},
    {"equal", false, false, fill_equal},
    {"zeros", false, false, fill_zeros},
    {"minus-inf", false, false, fill_minus_inf},
    {"masked", false, false, fill_masked},
    {"one-finite", false, true, fill_one_finite},
    {"one-plus-inf", false, true, fill_one_plus_inf},
    {"one-nan", false, true, fill_one_nan},
    {"nan-in-infinities", false, true, fill_nan_in_infinities},
    {"one-high", false, true, fill_one_high},
    {"risen", false, true, fill_risen},
    {"subnormal", false, false, fill_subnormal},
    {"offset", false, false, fill_offset},
    {"alternating", false, false, fill_alternating},
    {"deep", false, false, fill_deep},
    {"ascending", false, false, fill_ascending},
    {"wide", false, false, fill_wide},
    {0},
};

enum { EVERY_PLACE_MAX = 33 };

size_t row_count(const struct row_family *f, size_t n)
{
    return f->every_place && n > 0 && n <= EVERY_PLACE_MAX ? n : n > 65536 ? 1 : 3;
}

size_t row_place(const struct row_family *f, size_t n, size_t row)
{
    size_t rows = row_count(f, n);
    return n < 2 ? 0 : rows == 1 ? n / 2 : row * (n - 1) / (rows - 1);
}
