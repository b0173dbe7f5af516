// SPDX-License-Identifier: MIT
#include "machine/mxcsr.h"

#include <fenv.h>
#include <stdint.h>

enum { X87_DEFAULT = 0x37f, X87_EMPTY = 0xffff };

/* MXCSR before main. */
static unsigned mxcsr_found = MXCSR_DEFAULT;
static unsigned short x87_found = X87_DEFAULT;

void mxcsr_take_over(void)
{
    mxcsr_found = _mm_getcsr() & ~(unsigned)MXCSR_STICKY;
    __asm__("fnstcw %0" : "=m"(x87_found));
    fesetenv(FE_DFL_ENV);
}

unsigned mxcsr_at_start(void)
{
    return mxcsr_found;
}

bool modes_were_default(void)
{
    return mxcsr_found == MXCSR_DEFAULT && x87_found == X87_DEFAULT;
}

bool modes_restore_after(unsigned begun)
{
    struct {
        uint16_t control, pad0, status, pad1, tags, pad2[9];
    } x87;
    unsigned mxcsr = _mm_getcsr() & ~(unsigned)MXCSR_STICKY;
    __asm__ volatile("fnstenv %0\n\tfninit" : "=m"(x87));
    _mm_setcsr(MXCSR_DEFAULT);
    return mxcsr == begun && x87.control == X87_DEFAULT && x87.tags == X87_EMPTY;
}

bool modes_restore(void)
{
    return modes_restore_after(MXCSR_DEFAULT);
}
