// SPDX-License-Identifier: MIT
/* The abilities of the CPU: which of the library's ISAs it runs, and how large its caches are. */
#ifndef ULP_LIB_CPU_H
#define ULP_LIB_CPU_H

#include <stdbool.h>

#include "kernel.h"

/* The ISAs (simd/vocabulary/ISA), from the slowest to the fastest. */
enum isa { ISA_NOFMA, ISA_SCALAR, ISA_AVX2, ISA_AVX512, ISAS };

/* Returns whether the CPU has all features that the ISA's flags (scripts/lib.mk) let a compiler
 * use, and the operating system saves its registers. */
bool ulp_cpu_runs(enum isa isa);

/* Returns the cache sizes of one core, in bytes, with the whole last level; 0 if the CPU does not
 * report it. */
struct caches ulp_cpu_caches(void);

/* The library's only state: the ISA in use, and the sizes of the caches. */

/* Returns the ISA in use, and stores the caches' sizes. The first call asks the CPU. */
enum isa ulp_dispatch(struct caches *caches);

#endif
