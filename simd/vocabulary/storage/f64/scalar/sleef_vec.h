// SPDX-License-Identifier: MIT
#include "vec.h"
#define SLEEF_FMA(function, ulp) Sleef_finz_##function##d1_##ulp##purecfma
#include "../sleef_any.h"
