/* IEEE half arithmetic on fp32 lanes, by one conversion and back per operation: the fp16.h of ISAs
 * that have no such arithmetic. */
#ifndef FP16_LANES_H
#define FP16_LANES_H

#include "storage/f16/storage.h"

static inline vf rounded(vf a) { return f16_widen(f16_narrow(a)); }

#include "rounded.h"

#endif
