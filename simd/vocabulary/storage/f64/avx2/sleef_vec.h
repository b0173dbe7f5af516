// SPDX-License-Identifier: MIT
#include "vec.h"
#define SLEEF_FMA(function, ulp) Sleef_finz_##function##d4_##ulp##avx2
#include "../sleef_any.h"
