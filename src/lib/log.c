/* log of an array. */
#include "call.h"
#include "ulp.h"

DECLARE_KERNELS(log, f32);
DECLARE_KERNELS(log, bf16);
DECLARE_KERNELS(log, f16);
static const struct kernels f32 = KERNELS(log, f32, float);
static const struct kernels bf16 = KERNELS(log, bf16, ulp_bf16);
static const struct kernels f16 = KERNELS(log, f16, ulp_f16);

int ulp_log_f32(size_t n, const float *x, float *y)
{
    return call_elementwise(&f32, n, x, y);
}

int ulp_log_bf16(size_t n, const ulp_bf16 *x, ulp_bf16 *y)
{
    return call_elementwise(&bf16, n, x, y);
}

int ulp_log_f16(size_t n, const ulp_f16 *x, ulp_f16 *y)
{
    return call_elementwise(&f16, n, x, y);
}
