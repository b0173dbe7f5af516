/* What the CPU is asked: which of the library's ISAs it runs, and how large its caches are. */
#ifndef ULP_LIB_CPU_H
#define ULP_LIB_CPU_H

#include <stdbool.h>

#include "kernel.h"

/* simd/ISA, from the slowest to the fastest. */
enum isa { ISA_NOFMA, ISA_SCALAR, ISA_AVX2, ISA_AVX512, ISAS };

/* Whether the CPU has all that the ISA's flags (scripts/lib.mk) let a compiler use, and the
 * operating system saves its registers. */
bool ulp_cpu_runs(enum isa isa);

/* Of one core, in bytes; of the last level all of it. 0 where the CPU does not tell. */
struct caches ulp_cpu_caches(void);

#endif
