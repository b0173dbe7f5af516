// SPDX-License-Identifier: MIT
/* y = x/2 (1 + erf(x / sqrt 2)): gelu.h.
 * Error, over all 2^32 inputs: at most 2.300936 ulp under off, at -0x1.d4bcb4p+0; 2.319032 where
 * v_mad fuses as gcc-12 chooses, at -0x1.d8d9cap+0; 2.168235 as clang-14 does, at -0x1.d64834p+0.
 * 107 flops, 8 bytes per element. */
#include "ops.h"
#include "gelu.h"
#include "row.h"

static inline vf value(vf x, const struct row_context *c)
{
    (void)c;
    return v_gelu(x);
}

/* Computes the beginning of a row, in whole vectors, as far as it needs no tail, and returns its
 * length. In the rest of the row, a branch between two paths would cost ordinary rows more than it
 * saves. */
static __attribute__((noinline)) size_t tailless_beginning(const element *x, element *y, size_t n)
{
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        vf v = x_load(x + i);
        if (m_any(v_gelu_needs_tail(v))) break;
        y_store(y + i, v_gelu_tailless(v));
    }
    return i;
}

enum { LONG_ROW = 256 }; /* from this length on the call above costs next to nothing */

static inline void gelu_row(const struct job *j, const element *x, element *y)
{
    size_t i = j->n < LONG_ROW ? 0 : tailless_beginning(x, y, j->n);
    row_map(x + i, y + i, j->n - i, value, NULL);
}

static void run(const struct job *j) { each_row(j, gelu_row); }

const struct kernel KERNEL = {
    .op = "gelu",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .written_fma = 6,
    .flops = GELU_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 2.5, .ulp_fused = 2.5, .specials = true},
    .run = run,
    /* mad: p 6, exp 8, S 10, the tail's sum 2, and three products that contraction fuses with
     * additions. */
    .ops = {.fma = 6,
            .mad = 29,
            .mul = SCALE_DOWN_MUL + 10,
            .add = 23,
            .max = 1,
            .other = EXP_NONPOSITIVE_OTHER + 9},
};
