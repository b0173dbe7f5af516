// SPDX-License-Identifier: MIT
#include "vec.h"
#define SLEEF_FMA(function, ulp) Sleef_finz_##function##d8_##ulp##avx512f
#include "../sleef_any.h"
