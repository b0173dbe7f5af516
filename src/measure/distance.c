// SPDX-License-Identifier: MIT
#include "measure/distance.h"

#include <string.h>

#include "model/dtype.h"

enum { QUIET = 0x40 };

uint16_t distance_to_bf16(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | QUIET);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* value / 2^shift, to nearest, ties to even; shift in 1..31 */
static uint32_t shift_to_even(uint32_t value, unsigned shift)
{
    uint32_t half = 1u << (shift - 1), rest = value & (2 * half - 1), whole = value >> shift;
    return whole + (rest > half || (rest == half && (whole & 1)));
}

uint16_t distance_to_fp16(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff, half;
    if (magnitude > 0x7f800000)
        half = 0x7e00;
    else if (magnitude >= 0x477ff000) /* 65520 and beyond: infinity */
        half = 0x7c00;
    else if (magnitude >= 0x38800000) /* 2^-14: normal */
        half = shift_to_even(magnitude - 0x38000000, 13);
    else if (magnitude >= 0x33000000) /* 2^-25: multiples of 2^-24 */
        half = shift_to_even((magnitude & 0x7fffff) | 0x800000, 126 - (magnitude >> 23));
    else
        half = 0;
    return (uint16_t)(sign | half);
}

/* The type's values in their order, as integers; both zeros are 0. */
static int64_t distance_place_of(uint32_t bits, const struct dtype *type)
{
    int64_t magnitude = bits & 0x7fffffff;
    if (type->bytes == sizeof(uint16_t)) {
        float value;
        uint16_t stored;
        memcpy(&value, &bits, sizeof value);
        type->narrow(&value, &stored, 1);
        magnitude = stored & 0x7fff;
    }
    return bits >> 31 ? -magnitude : magnitude;
}

static void add_element(struct distance *d, uint32_t a, uint32_t b, const struct dtype *type)
{
    d->mismatched++;
    d->bf16 += distance_to_bf16(a) != distance_to_bf16(b);
    d->fp16 += distance_to_fp16(a) != distance_to_fp16(b);
    int a_nan = (a & 0x7fffffff) > 0x7f800000, b_nan = (b & 0x7fffffff) > 0x7f800000;
    d->nan += a_nan != b_nan;
    if (a_nan || b_nan) return;
    int64_t apart = distance_place_of(a, type) - distance_place_of(b, type);
    uint64_t ulp = (uint64_t)(apart < 0 ? -apart : apart);
    if (ulp > d->max_ulp) d->max_ulp = ulp;
}

bool distance_all_of(const float *a, size_t count, const struct dtype *type)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t stored;
        float back;
        type->narrow(a + i, &stored, 1);
        type->widen(&stored, &back, 1);
        if (memcmp(&back, a + i, sizeof back) != 0 && a[i] == a[i]) return false;
    }
    return true;
}

static void add_double(struct distance *d, double a, double b)
{
    const float a_float = (float)a, b_float = (float)b;
    int64_t x, y;
    uint32_t x_float, y_float;
    memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
    memcpy(&x_float, &a_float, sizeof x_float), memcpy(&y_float, &b_float, sizeof y_float);
    d->mismatched++;
    d->bf16 += distance_to_bf16(x_float) != distance_to_bf16(y_float);
    d->fp16 += distance_to_fp16(x_float) != distance_to_fp16(y_float);
    d->nan += (a != a) != (b != b);
    if (a != a || b != b) return;
    /* The values in their order, as integers; both zeros are 0. */
    const int64_t x_place = x < 0 ? INT64_MIN - x : x, y_place = y < 0 ? INT64_MIN - y : y;
    const uint64_t ulp = x_place > y_place ? (uint64_t)x_place - (uint64_t)y_place
                                           : (uint64_t)y_place - (uint64_t)x_place;
    const uint64_t most = INT64_MAX; /* what a record holds */
    if (ulp > d->max_ulp) d->max_ulp = ulp < most ? ulp : most;
}

/* Adds elements of which some differ. */
static void add_elements(struct distance *d, const char *a, const char *b, size_t count,
                         const struct dtype *type)
{
    for (size_t i = 0; i < count; i++) {
        double x_double, y_double;
        uint32_t x, y;
        if (type == &dtype_f64) {
            memcpy(&x_double, a + i * sizeof x_double, sizeof x_double);
            memcpy(&y_double, b + i * sizeof y_double, sizeof y_double);
            if (memcmp(&x_double, &y_double, sizeof x_double)) add_double(d, x_double, y_double);
            continue;
        }
        memcpy(&x, a + i * sizeof x, sizeof x);
        memcpy(&y, b + i * sizeof y, sizeof y);
        if (x != y) add_element(d, x, y, type);
    }
}

struct distance distance_between(const void *a, const void *b, size_t count,
                                 const struct dtype *type)
{
    enum { PIECE = 1 << 14 };
    struct distance all = {.elements = count};
#pragma omp parallel for schedule(static) if (count > 4 * PIECE)
    for (size_t begin = 0; begin < count; begin += PIECE) {
        size_t end = count - begin < PIECE ? count : begin + PIECE;
        struct distance d = {0};
        const size_t bytes = dtype_computed(type)->bytes;
        const char *of_a = (const char *)a + begin * bytes, *of_b = (const char *)b + begin * bytes;
        if (memcmp(of_a, of_b, (end - begin) * bytes) == 0) continue;
        add_elements(&d, of_a, of_b, end - begin, type);
#pragma omp critical(distance)
        distance_add(&all, &d);
    }
    return all;
}

void distance_add(struct distance *d, const struct distance *more)
{
    d->elements += more->elements;
    d->mismatched += more->mismatched;
    d->bf16 += more->bf16;
    d->fp16 += more->fp16;
    d->nan += more->nan;
    if (more->max_ulp > d->max_ulp) d->max_ulp = more->max_ulp;
}

double distance_share(const struct distance *d, uint64_t count)
{
    return d->elements ? (double)count / (double)d->elements : 0;
}
