// SPDX-License-Identifier: MIT
/* The vector vocabulary of one ISA as a table of functions (vocabulary.h). */
#include "vocabulary/vocabulary.h"

#include "vec.h"

static inline vf truth(vm m)
{
    return v_select(m, v_set1(1.0f), v_set1(0.0f));
}

static inline vf mantissa(vf a)
{
    vf e;
    return v_frexp(a, &e);
}

static inline vf exponent(vf a)
{
    vf e;
    v_frexp(a, &e);
    return e;
}

#define OP(name, domain, bits, result)                                                             \
    static void apply_##name(const float *pa, const float *pb, const float *pc, float *out)        \
    {                                                                                              \
        vf a = v_load(pa), b = v_load(pb), c = v_load(pc);                                         \
        (void)a, (void)b, (void)c;                                                                 \
        v_store(out, result);                                                                      \
    }
#include "vocabulary/ops.inc"
#undef OP

static const struct lanes_op ops[] = {
#define OP(name, domain, bits, result) {#name, domain, bits, apply_##name},
#include "vocabulary/ops.inc"
#undef OP
};

static void load_part(const float *p, size_t n, float fill, float *result)
{
    v_store(result, v_load_part(p, n, fill));
}

static void store_part(float *p, const float *a, size_t n)
{
    v_store_part(p, v_load(a), n);
}

static void first(const float *a, size_t n, float fill, float *result)
{
    v_store(result, v_first(v_load(a), n, fill));
}

static bool any_less(const float *a, const float *b)
{
    return m_any(v_lt(v_load(a), v_load(b)));
}

static float sum(const float *a)
{
    return v_sum(v_load(a));
}

static float hmax(const float *a)
{
    return v_hmax(v_load(a));
}

#define TEXT(x) #x
#define NAME_OF(x) TEXT(x)

const struct vocabulary VOCABULARY = {
    .isa = NAME_OF(ISA),
    .lanes = VL,
    .ops = ops,
    .op_count = sizeof ops / sizeof *ops,
    .load_part = load_part,
    .store_part = store_part,
    .first = first,
    .any_less = any_less,
    .sum = sum,
    .hmax = hmax,
};
