// SPDX-License-Identifier: MIT
#include "measure/distance.h"

#include <math.h>
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

/* A value as it is compared. */
struct value {
    uint32_t fp32; /* its bits; of a double, those of it rounded to fp32 */
    bool is_nan;
    int64_t place; /* among the values of its type in their order; both zeros are 0 */
};

static struct value value_of(const char *at, const struct dtype *type)
{
    uint64_t bits = 0, magnitude;
    uint16_t stored;
    double y;
    float x;
    memcpy(&bits, at, dtype_computed(type)->bytes);
    if (type == &dtype_f64) {
        memcpy(&y, at, sizeof y);
        x = (float)y;
        magnitude = bits & INT64_MAX;
    } else {
        memcpy(&x, at, sizeof x);
        magnitude = bits & INT32_MAX;
    }
    if (type->bytes == sizeof stored) {
        type->narrow(&x, &stored, 1);
        magnitude = stored & INT16_MAX;
    }
    struct value v = {.is_nan = x != x};
    v.place = signbit(x) ? -(int64_t)magnitude : (int64_t)magnitude;
    memcpy(&v.fp32, &x, sizeof x);
    return v;
}

static void add_element(struct distance *d, struct value a, struct value b)
{
    const uint64_t most = INT64_MAX; /* what a record holds */
    d->mismatched++;
    d->bf16 += distance_to_bf16(a.fp32) != distance_to_bf16(b.fp32);
    d->fp16 += distance_to_fp16(a.fp32) != distance_to_fp16(b.fp32);
    d->nan += a.is_nan != b.is_nan;
    if (a.is_nan || b.is_nan) return;
    const uint64_t ulp = a.place > b.place ? (uint64_t)a.place - (uint64_t)b.place
                                           : (uint64_t)b.place - (uint64_t)a.place;
    if (ulp > d->max_ulp) d->max_ulp = ulp < most ? ulp : most;
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
        for (size_t i = 0; i < (end - begin) * bytes; i += bytes)
            if (memcmp(of_a + i, of_b + i, bytes))
                add_element(&d, value_of(of_a + i, type), value_of(of_b + i, type));
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
