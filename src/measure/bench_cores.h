// SPDX-License-Identifier: MIT
/* Cells on all cores beside the same kernel on one. */
#ifndef ULPLAB_BENCH_CORES_H
#define ULPLAB_BENCH_CORES_H

#include <jansson.h>

/* Adds to a row of several threads of one core's rate how much each core of the team has, with its
 * interval and the id of the row it stands beside: efficiency, efficiency_low, efficiency_high,
 * efficiency_of. */
void cores_add_efficiency(const json_t *rows, json_t *team);

#endif
