// SPDX-License-Identifier: MIT
/* The modes of the floating-point units. One wrong link flag sets MXCSR, the SSE control and status
 * register, to flush subnormals for the whole process (docs/method.md, "What compilers do"). */
#ifndef ULPLAB_MXCSR_H
#define ULPLAB_MXCSR_H

#include <stdbool.h>
#include <xmmintrin.h>

/* MXCSR_DEFAULT: all exceptions masked, round to nearest, neither FTZ nor DAZ, no exception
 * seen. */
enum { MXCSR_DEFAULT = 0x1f80, MXCSR_STICKY = 0x3f };

/* Gives the floating-point units (MXCSR and the x87 control word) their default modes, whatever an
 * object that was loaded before main has set. Threads that start later inherit them. main calls it
 * once, before anything else. */
void mxcsr_take_over(void);
/* Returns MXCSR as mxcsr_take_over() found it, without the sticky flags. */
unsigned mxcsr_at_start(void);
/* Returns whether all modes were the default ones then. */
bool modes_were_default(void);

/* Gives this thread the default modes and an empty x87 stack again, after a kernel. Returns false
 * if the kernel left another mode, or registers in use: MMX instructions without an emms leave a
 * full stack, on which every long double result is NaN. The sticky flags depend on values and are
 * no fault. */
bool modes_restore(void);
/* modes_restore(), after a kernel that began with this MXCSR. */
bool modes_restore_after(unsigned begun);

#endif
