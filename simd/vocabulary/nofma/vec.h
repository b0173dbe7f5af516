// SPDX-License-Identifier: MIT
/* One lane for baseline x86-64: SSE2, neither AVX nor FMA. v_fma() is fmaf() of the C library,
 * which rounds once on every CPU; it is slow where the CPU has no instruction for it. The lab does
 * not measure this ISA: libulp has it for CPUs without FMA (scripts/lib.mk). scalar/vec.h defines
 * each operation. No kernel of simd/invariant uses v_round(), which would need SSE4.1. */
#include "../scalar/vec.h"
