/* logsumexp: one result per row. */
#include "call.h"
#include "ulp.h"

DECLARE_KERNELS(logsumexp, f32);
DECLARE_KERNELS(logsumexp, bf16);
DECLARE_KERNELS(logsumexp, f16);
static const struct kernels f32 = KERNELS(logsumexp, f32, float);
static const struct kernels bf16 = KERNELS(logsumexp, bf16, ulp_bf16);
static const struct kernels f16 = KERNELS(logsumexp, f16, ulp_f16);

enum { COLUMNS = 1 }; /* results per row */

int ulp_logsumexp_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                      size_t y_stride)
{
    struct job j = {
        .rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride};
    return call_reduction(&f32, &j, COLUMNS);
}

int ulp_logsumexp_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                       size_t y_stride)
{
    struct job j = {
        .rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride};
    return call_reduction(&bf16, &j, COLUMNS);
}

int ulp_logsumexp_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                      size_t y_stride)
{
    struct job j = {
        .rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride};
    return call_reduction(&f16, &j, COLUMNS);
}
