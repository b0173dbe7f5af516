// SPDX-License-Identifier: MIT
/* The timing options of bench and duel, from the command line. */
#ifndef ULPLAB_TIMING_OPTIONS_H
#define ULPLAB_TIMING_OPTIONS_H

#include "cmd/options.h"
#include "measure/bench_plan.h"
#include "model/npy.h"

/* Returns the request of --shapes, --n, --rows, --family, --threads, --processes, --samples and
 * --seed. input: the array of --input, empty where that was not given. Borrows from both. */
struct bench_request timing_options(const struct options *o, const struct npy *input);
/* timing_options() at one shape that lives in L1 if none is given, because two programs or two
 * variants are compared and not shapes. */
struct bench_request timing_options_at_one_shape(const struct options *o, const struct npy *input);

#endif
