/* Mean and variance (ddof 0), with one bit pattern on every ISA, compiler and policy: invariant.h
 * says how, invariant_moments.h what. One pass, 4 flops, 4 bytes per element. */
#include "invariant_moments.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        float *y = row_out(j, r);
        if (!j->n) {
            y[0] = y[1] = f_from_bits(NAN_BITS);
            continue;
        }
        struct spread s = row_spread(row_in(j, r), j->n);
        y[0] = f_canonical(s.mean);
        y[1] = f_canonical(d_div(s.squares, s.count));
    }
}

const struct kernel KERNEL = {
    .op = "moments", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4, .bytes = 4, .lanes = LANES, .chains = MOMENT_CHAINS,
    .bound = BOUND_VARIANCE_CORRECTED,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
