/* Mean and variance of each row. */
#include "lib/call.h"
#include "ulp.h"

DECLARE_KERNELS(moments, f32);
DECLARE_KERNELS(moments, bf16);
DECLARE_KERNELS(moments, f16);
const struct kernels ulp_kernels_moments_f32 = KERNELS(moments, f32, float);
const struct kernels ulp_kernels_moments_bf16 = KERNELS(moments, bf16, ulp_bf16);
const struct kernels ulp_kernels_moments_f16 = KERNELS(moments, f16, ulp_f16);

enum { COLUMNS = 2 }; /* results per row */

int ulp_moments_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                    size_t y_stride)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_reduction(&ulp_kernels_moments_f32, &j, COLUMNS, NULL);
}

int ulp_moments_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                     size_t y_stride)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_reduction(&ulp_kernels_moments_bf16, &j, COLUMNS, NULL);
}

int ulp_moments_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                    size_t y_stride)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_reduction(&ulp_kernels_moments_f16, &j, COLUMNS, NULL);
}
