/* log of an array. */
#include "lib/call.h"
#include "ulp.h"

DECLARE_KERNELS(log, f32);
DECLARE_KERNELS(log, bf16);
DECLARE_KERNELS(log, f16);
const struct kernels ulp_kernels_log_f32 = KERNELS(log, f32, float);
const struct kernels ulp_kernels_log_bf16 = KERNELS(log, bf16, ulp_bf16);
const struct kernels ulp_kernels_log_f16 = KERNELS(log, f16, ulp_f16);

int ulp_log_f32(size_t n, const float *x, float *y)
{
    return ulp_call_elementwise(&ulp_kernels_log_f32, n, x, y);
}

int ulp_log_bf16(size_t n, const ulp_bf16 *x, ulp_bf16 *y)
{
    return ulp_call_elementwise(&ulp_kernels_log_bf16, n, x, y);
}

int ulp_log_f16(size_t n, const ulp_f16 *x, ulp_f16 *y)
{
    return ulp_call_elementwise(&ulp_kernels_log_f16, n, x, y);
}
