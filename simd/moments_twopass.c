/* mean = sum(x) / n;  variance = sum((x - mean)^2) / n.
 * Bound: (N + 4 + N^2 kappa^2 u) u relative (numerics.md section 2); with K chains of VL lanes
 * N is in truth the height of the tree. 4 flops, 4 bytes per element.
 * Source: Chan, Golub, LeVeque 1983. */
#include "kernel.h"
#include "vec.h"

enum { K = 4 };

static float row_mean(const float *x, size_t n)
{
    vf s[K] = {v_set1(0), v_set1(0), v_set1(0), v_set1(0)};
    size_t i = 0;
    for (; i + K * VL <= n; i += K * VL)
        for (size_t k = 0; k < K; k++) s[k] = v_add(s[k], v_load(x + i + k * VL));
    for (; i + VL <= n; i += VL) s[0] = v_add(s[0], v_load(x + i));
    s[1] = v_add(s[1], v_load_part(x + i, n - i, 0.0f));
    return v_sum(v_add(v_add(s[0], s[1]), v_add(s[2], s[3]))) / (float)n;
}

static float row_variance(const float *x, size_t n, float mean)
{
    vf m = v_set1(mean), q[K] = {v_set1(0), v_set1(0), v_set1(0), v_set1(0)};
    size_t i = 0;
    for (; i + K * VL <= n; i += K * VL)
        for (size_t k = 0; k < K; k++) {
            vf d = v_sub(v_load(x + i + k * VL), m);
            q[k] = v_mad(d, d, q[k]);
        }
    for (; i + VL <= n; i += VL) {
        vf d = v_sub(v_load(x + i), m);
        q[0] = v_mad(d, d, q[0]);
    }
    vf d = v_sub(v_load_part(x + i, n - i, mean), m);
    q[1] = v_mad(d, d, q[1]);
    return v_sum(v_add(v_add(q[0], q[1]), v_add(q[2], q[3]))) / (float)n;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        y[0] = row_mean(x, j->n);
        y[1] = row_variance(x, j->n, y[0]);
    }
}

const struct kernel KERNEL = {
    .op = "moments", .algorithm = "twopass", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4, .bytes = 4, .lanes = VL, .chains = K,
    .bound = BOUND_VARIANCE_TWOPASS,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
