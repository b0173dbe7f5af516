// SPDX-License-Identifier: MIT
/* bench --pair A,B: how much longer one variant takes than another, in one line. */
#ifndef ULPLAB_BENCH_PAIR_H
#define ULPLAB_BENCH_PAIR_H

#include "cmd/options.h"
#include "model/npy.h"

int bench_pair(const struct options *o, const struct npy *input, struct error *e);

#endif
