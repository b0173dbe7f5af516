// SPDX-License-Identifier: MIT
/* softmax in three passes, like softmax_threepass.c, with exp and log of SLEEF 3.5.1, built without
 * FMA. Text, bound and errors are those of softmax_sleef.c. */
#include "sleef_nofma.h"
#include "softmax_sleef.c"
