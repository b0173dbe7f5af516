// SPDX-License-Identifier: MIT
/* What -ffast-math on a link line does to the whole process, for one kernel: as crtfastmath.o,
 * which it adds, a constructor sets FTZ and DAZ in MXCSR. `ulplab flags` compiles kernels with this
 * file in front (-include); src/measure/peers.h calls them so. */
static __attribute__((constructor)) void flush_subnormals(void)
{
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
