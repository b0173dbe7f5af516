// SPDX-License-Identifier: MIT
/* The variants of the lab that are timed beside the libraries, at the libraries' shapes. */
#ifndef ULPLAB_BENCH_FIELD_H
#define ULPLAB_BENCH_FIELD_H

#include <stdbool.h>

#include "measure/bench_request.h"
#include "measure/plan_builder.h"

/* The variants that a part of a run times: all; vector code under policies that people ship, or
 * under `off`; of the latter the kernels with their FMAs written out, the fastest of each
 * operation. */
enum choice { ALL, VECTOR_SHIPPABLE, VECTOR_OFF, VECTOR_EXPLICIT };
bool choice_takes(enum choice choice, const struct variant *v);

/* The cells that a run's request adds for the comparison with libraries. */
void plan_add_field(struct plan_builder *b, const struct registry *r, const struct run_request *q);

#endif
