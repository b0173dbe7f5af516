/* The library's one piece of state: which ISA is in use, and the sizes of the caches. */
#ifndef ULP_LIB_DISPATCH_H
#define ULP_LIB_DISPATCH_H

#include "lib/cpu.h"

/* The ISA in use; also stores the caches' sizes. The first call asks the CPU. */
enum isa ulp_dispatch(struct caches *caches);

#endif
