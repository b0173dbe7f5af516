/* HEAD */
#include "kernel.h"
#include "vec.h"

/* Declared here, not by <math.h>: its declaration lets -ffast-math choose libmvec instead. */
float expf(float);

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = expf(x[i]);
    }
}

const struct kernel KERNEL = {
    .op = "exp", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 0, .bytes = 8, .lanes = 1,
    .run = run,
};
