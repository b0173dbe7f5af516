// SPDX-License-Identifier: MIT
/* The losses of a policy: results that are NaN, or wrongly infinite or finite, in a build under the
 * policy, and have an error in the same build under off. */
#ifndef ULPLAB_LOSSES_H
#define ULPLAB_LOSSES_H

#include <jansson.h>

/* Reports the losses in rows of accuracy or of scan ("lost", "counts"), whose results are called
 * `what`: "inputs". say() gets one sentence for each kernel, policy and number of losses, with the
 * builds that have these: "silu/sleef, fastmath: NaN for 1,020,169,705 inputs that off computes
 * (avx2 gcc-12)". */
void losses_tell(const json_t *rows, const char *what,
                 void (*say)(void *context, const char *sentence), void *context);

#endif
