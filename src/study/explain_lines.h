// SPDX-License-Identifier: MIT
#ifndef ULPLAB_EXPLAIN_LINES_H
#define ULPLAB_EXPLAIN_LINES_H

#include "machine/topology.h"
#include "study/code_model.h"

/* Lines of 64 bytes that a call of the trace brings in from each level, caches being warm of the
 * call before: caches are taken for fully associative, and keep what was used last. scale: how many
 * times as many rows a whole call has as the trace; so much more is used between two calls. */
void lines_by_level(const struct code *c, double scale, const size_t bytes[LEVEL_DRAM],
                    double lines[LEVELS]);

#endif
