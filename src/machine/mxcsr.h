/* The floating-point units' modes. One wrong link flag sets MXCSR, the SSE control and status
 * register, to flush subnormals for the whole process (docs/method.md, "What compilers do"). */
#ifndef ULPLAB_MXCSR_H
#define ULPLAB_MXCSR_H

#include <stdbool.h>
#include <xmmintrin.h>

/* All exceptions masked, round to nearest, neither FTZ nor DAZ, no exception seen. */
enum { MXCSR_DEFAULT = 0x1f80, MXCSR_STICKY = 0x3f };

/* Takes the process over: gives the floating-point units (MXCSR and the x87 control word) their
 * default modes, whatever an object that was loaded before main has set. Threads that start later
 * inherit them. To be called once, first of all. */
void mxcsr_take_over(void);
/* MXCSR as mxcsr_take_over() found it, without the sticky flags. */
unsigned mxcsr_at_start(void);
/* Were all modes the default ones then? */
bool modes_were_default(void);

/* To be called behind a kernel: gives this thread the default modes and an empty x87 stack again.
 * False where the kernel left another mode, or registers in use: MMX instructions without an emms
 * leave a full stack, on which every long double result is NaN. The sticky flags tell of values,
 * and are nobody's fault. */
bool modes_restore(void);

#endif
