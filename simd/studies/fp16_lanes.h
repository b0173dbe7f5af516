// SPDX-License-Identifier: MIT
/* The fp16.h of ISAs without IEEE half arithmetic: fp32 lanes, and per operation one conversion to
 * half and back. */
#ifndef FP16_LANES_H
#define FP16_LANES_H

#include "storage/f16/storage.h"

static inline vf rounded(vf a) { return f16_widen(f16_narrow(a)); }

#include "rounded.h"

#endif
