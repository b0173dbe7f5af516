// SPDX-License-Identifier: MIT
/* The kernels of a storage type, for each ISA: objects that scripts/lib.mk builds. */
#include "lib/call.h"
#include "type.h"

/* KERNELS(softmax, 0) defines ulp_kernels_softmax_f32; stats: floats of statistics per row. */
#define KERNELS(op, stats)                                                                         \
    extern const struct kernel TYPED(ulp_kernel_##op##_nofma), TYPED(ulp_kernel_##op##_scalar),    \
        TYPED(ulp_kernel_##op##_avx2), TYPED(ulp_kernel_##op##_avx512);                            \
    const struct kernels TYPED(ulp_kernels_##op) = {                                               \
        {&TYPED(ulp_kernel_##op##_nofma), &TYPED(ulp_kernel_##op##_scalar),                        \
         &TYPED(ulp_kernel_##op##_avx2), &TYPED(ulp_kernel_##op##_avx512)},                        \
        sizeof(element),                                                                           \
        stats}

KERNELS(softmax, 0);
KERNELS(logsumexp, 0);
KERNELS(moments, 0);
KERNELS(layernorm, 2);
KERNELS(rmsnorm, 1);
#define ARRAY_KERNELS(op) KERNELS(op, 0);
ARRAY_FUNCTIONS(ARRAY_KERNELS)
