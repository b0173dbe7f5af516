// SPDX-License-Identifier: MIT
/* y = max x + log(sum_j exp(x_j - max x)), exp and log of SLEEF 3.5.1, built without FMA. Text,
 * bound and errors are those of logsumexp_sleef.c. */
#include "sleef_nofma.h"
#include "logsumexp_sleef.c"
