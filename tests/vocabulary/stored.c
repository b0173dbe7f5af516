// SPDX-License-Identifier: MIT
#include "vocabulary/stored.h"

#include "storage.h"

static void load(const uint16_t *p, float *result)
{
    v_store(result, x_load(p));
}

static void load_part(const uint16_t *p, size_t n, float fill, float *result)
{
    v_store(result, x_load_part(p, n, fill));
}

static void store(uint16_t *p, const float *a)
{
    y_store(p, v_load(a));
}

static void store_part(uint16_t *p, const float *a, size_t n)
{
    y_store_part(p, v_load(a), n);
}

#define TEXT(x) #x
#define NAME_OF(x) TEXT(x)

const struct storage STORAGE = {
    .isa = NAME_OF(ISA),
    .type = DTYPE,
    .lanes = VL,
    .load = load,
    .load_part = load_part,
    .store = store,
    .store_part = store_part,
    .at = x_at,
};
