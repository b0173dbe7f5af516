// SPDX-License-Identifier: MIT
#include "vocabulary/rounded.h"

#define HEADER(format) <format.h>
#include HEADER(FORMAT)

static void add(const uint16_t *a, const uint16_t *b, uint16_t *y)
{
    r_store(y, r_add(r_load(a), r_load(b)));
}
static void sub(const uint16_t *a, const uint16_t *b, uint16_t *y)
{
    r_store(y, r_sub(r_load(a), r_load(b)));
}
static void max(const uint16_t *a, const uint16_t *b, uint16_t *y)
{
    r_store(y, r_max(r_load(a), r_load(b)));
}
static void overflow(const uint16_t *a, const uint16_t *limit, uint16_t *y)
{
    r_store(y, r_overflow(r_load(a), r_load(limit)));
}
static void exponential(const uint16_t *a, uint16_t *y)
{
    r_store(y, r_exp(r_load(a)));
}
static void logarithm(const uint16_t *a, uint16_t *y)
{
    r_store(y, r_log(r_load(a)));
}
static void sum(const uint16_t *a, uint16_t *y)
{
    r_store(y, r_sum(r_load(a)));
}
static void hmax(const uint16_t *a, uint16_t *y)
{
    r_store(y, r_hmax(r_load(a)));
}
static void all(const uint16_t *a, uint16_t *y)
{
    r_store(y, r_all(a));
}
static int any_nan(const uint16_t *a)
{
    return r_any_nan(r_load(a));
}
static float value(const uint16_t *a)
{
    return r_value(r_load(a));
}
static void load_part(const uint16_t *p, size_t n, float fill, uint16_t *y)
{
    r_store(y, r_load_part(p, n, fill));
}
static void store_part(uint16_t *p, const uint16_t *a, size_t n)
{
    r_store_part(p, r_load(a), n);
}

#define TEXT(x) #x
#define NAME_OF(x) TEXT(x)

const struct rounded_vocabulary VOCABULARY = {
    .isa = NAME_OF(ISA),
    .add = add,
    .sub = sub,
    .max = max,
    .overflow = overflow,
    .exp = exponential,
    .log = logarithm,
    .sum = sum,
    .hmax = hmax,
    .all = all,
    .any_nan = any_nan,
    .value = value,
    .load_part = load_part,
    .store_part = store_part,
};
