// SPDX-License-Identifier: MIT
/* The library's only state: the ISA in use, and the sizes of the caches. */
#ifndef ULP_LIB_DISPATCH_H
#define ULP_LIB_DISPATCH_H

#include "lib/cpu.h"

/* Returns the ISA in use, and stores the caches' sizes. The first call asks the CPU. */
enum isa ulp_dispatch(struct caches *caches);

#endif
