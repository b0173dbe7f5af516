// SPDX-License-Identifier: MIT
/* AVX2 has no half arithmetic: it uses fp32 lanes and F16C's conversions. */
#include "fp16_lanes.h"
