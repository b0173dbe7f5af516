#ifndef ULPLAB_EXPLAIN_LINES_H
#define ULPLAB_EXPLAIN_LINES_H

#include "machine/topology.h"
#include "study/code_model.h"

/* Lines of 64 bytes that a call of the trace brings in from each level, caches being warm of the
 * call before: caches are taken for fully associative, and keep what was used last. */
void lines_by_level(const struct code *c, const size_t bytes[LEVEL_DRAM], double lines[LEVELS]);

#endif
