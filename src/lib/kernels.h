// SPDX-License-Identifier: MIT
/* The kernels of the storage type of "type.h". */
#ifndef ULP_LIB_KERNELS_H
#define ULP_LIB_KERNELS_H

#include "lib/call.h"
#include "type.h"

extern const struct kernels TYPED(ulp_kernels_softmax), TYPED(ulp_kernels_logsumexp),
    TYPED(ulp_kernels_moments), TYPED(ulp_kernels_layernorm), TYPED(ulp_kernels_rmsnorm);
#define DECLARE_KERNELS(op) extern const struct kernels TYPED(ulp_kernels_##op);
ARRAY_FUNCTIONS(DECLARE_KERNELS)

#endif
