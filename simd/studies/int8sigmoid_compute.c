// SPDX-License-Identifier: MIT
/* y = quantize(sigmoid(dequantize(clamp(x)))), by f32 arithmetic:
 *
 *   clamp: to [in.low, in.high];  dequantize: (q - in.zero_point) in.scale
 *   sigmoid(t) = 1 / (1 + exp(-t))
 *   quantize: clamp(round(s / out.scale) + out.zero_point, out.low, out.high), ties to even
 *
 * x, y: int8_t [rows, n]; job.operand: struct int8_map, whose table is not used. A table of 256
 * entries can replace this function; this kernel computes the entries. For the case study
 * src/cases/int8_table_domain.c. 31 flops, 2 bytes per element. */
// build: policies=off,fast,fastmath
#include "codes.h"
#include "exp.h"
#include "int8_map.h"
#include "row.h"

struct constants {
    vf in_low, in_high, in_zero, in_scale, out_low, out_high, out_zero, out_scale;
};

static inline struct constants constants_of(const struct int8_map *m)
{
    return (struct constants){
        .in_low = v_set1((float)m->in.low),
        .in_high = v_set1((float)m->in.high),
        .in_zero = v_set1((float)m->in.zero_point),
        .in_scale = v_set1(m->in.scale),
        .out_low = v_set1((float)m->out.low),
        .out_high = v_set1((float)m->out.high),
        .out_zero = v_set1((float)m->out.zero_point),
        .out_scale = v_set1(m->out.scale),
    };
}
static inline vf v_clamp(vf a, vf low, vf high) { return v_min(v_max(a, low), high); }

static inline vi code_of(vi x, const struct constants *c)
{
    vf q = v_clamp(v_from_int(x), c->in_low, c->in_high), one = v_set1(1.0f);
    vf t = v_mul(v_sub(q, c->in_zero), c->in_scale);
    vf s = v_div(one, v_add(one, v_exp(v_sub(v_set1(0.0f), t))));
    vf r = v_add(v_round(v_div(s, c->out_scale)), c->out_zero);
    return v_to_int(v_clamp(r, c->out_low, c->out_high));
}

ALWAYS_INLINE void row(const int8_t *x, uint8_t *y, size_t n, const struct constants *c)
{
    size_t i = 0;
    for (; i + VL <= n; i += VL) codes_store(y + i, code_of(codes_load(x + i), c));
    if (i < n) codes_store_part(y + i, code_of(codes_load_part(x + i, n - i), c), n - i);
}

static void run(const struct job *j)
{
    const struct constants c = constants_of(j->operand);
    for (size_t r = 0; r < j->rows; r++)
        row((const int8_t *)j->x + r * j->x_stride, (uint8_t *)j->y + r * j->y_stride, j->n, &c);
}

const struct kernel KERNEL = {
    .op = "int8sigmoid",
    .algorithm = "compute",
    .dtype = "i8",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 31,
    .bytes = 2,
    .lanes = VL,
    .study = true,
    .run = run,
};
