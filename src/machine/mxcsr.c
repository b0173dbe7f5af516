#include "machine/mxcsr.h"

#include <fenv.h>

enum { X87_DEFAULT = 0x37f };

/* What was set before main. */
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
