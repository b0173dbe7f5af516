// SPDX-License-Identifier: MIT
/* Rows for a library that demands another stride than the job's. */
#ifndef ULPLAB_PEER_ROWS_H
#define ULPLAB_PEER_ROWS_H

#include "kernel.h"

/* Calls rows_of(&job) for each row of the job. */
template <typename Rows> void one_by_one(const job *j, Rows rows_of)
{
    for (size_t r = 0; r < j->rows; r++) {
        job one = *j;
        one.rows = 1;
        one.x = static_cast<const float *>(j->x) + r * j->x_stride;
        one.y = static_cast<float *>(j->y) + r * j->y_stride;
        one.x_stride = one.y_stride = j->n;
        if (j->stats) one.stats = j->stats + 2 * r;
        rows_of(&one);
    }
}

#endif
