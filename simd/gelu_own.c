/* y = x/2 (1 + erf(x / sqrt 2)): gelu.h.
 * Error, over all 2^32 inputs: at most 2.300936 ulp under off, at -0x1.d4bcb4p+0; 2.319032 where
 * v_mad fuses as gcc-12 chooses, at -0x1.d8d9cap+0; 2.168235 as clang-14 does, at -0x1.d64834p+0.
 * 107 flops, 8 bytes per element. */
#include "ops.h"
#include "gelu.h"

static inline vf y_of(vf x) { return v_gelu(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "gelu", .algorithm = "own", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY, .written_fma = 6,
    .flops = GELU_FLOPS, .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 2.5, .ulp_fused = 2.5, .specials = true},
    .run = run,
    /* mad: p 6, exp 8, S 10, the tail's sum 2, and three products that contraction fuses with
     * additions. */
    .ops = {.fma = 6, .mad = 29, .mul = SCALE_DOWN_MUL + 10, .add = 23, .max = 1,
            .other = EXP_NONPOSITIVE_OTHER + 7},
};
