/* One lane for x86-64 as it began: SSE2, neither AVX nor FMA. v_fma() is fmaf() of the C library,
 * which rounds once on every CPU; it is slow where the CPU has no instruction for it. The lab does
 * not measure this ISA: libulp has it for CPUs without FMA (scripts/lib.mk). scalar/vec.h says what
 * each operation means; of those that need SSE4.1, v_round(), no kernel of simd/invariant makes
 * use. */
#include "../scalar/vec.h"
