// SPDX-License-Identifier: MIT
/* Records of earlier versions of the lab, which stay readable: they become what they would be
 * today. */
#ifndef ULPLAB_EARLIER_H
#define ULPLAB_EARLIER_H

#include <jansson.h>

#include "base/error.h"

/* log_softmax was a way to call softmax's kernels: its cells were softmax's with "/log=1" behind
 * and "log": true, and its errors stood in log_softmax.jsonl, `errors` here. They become cells and
 * errors of the operation log_softmax, and what codegen says of such a kernel is said of both.
 * EXIT_PARTIAL where memory is short. */
int earlier_log_softmax(json_t *codegen, json_t *accuracy, json_t *timing, json_t *errors,
                        struct error *e);

/* layernorm was measured without gamma and beta: that is layernorm_bare today. Its records since
 * say "affine": true. Where a folder's accuracy or timing has layernorm and none of them says so,
 * it is renamed in `all`, `count` arrays of records, these two among them. */
void earlier_layernorm(const json_t *accuracy, const json_t *timing, json_t *const *all,
                       size_t count);

/* A cell's time was the median over all processes, whatever their modes. Records of timing whose
 * processes have two get the figures of the usual one, `modes` and the flag `two-modes`; those that
 * are unsteady, that flag (measure/modes.h). */
void earlier_modes(json_t *timing);

#endif
