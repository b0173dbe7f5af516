// SPDX-License-Identifier: MIT
/* Without AVX-512 FP16 there is no half arithmetic: it uses fp32 lanes and AVX-512 F's
 * conversions. */
#include "fp16_lanes.h"
