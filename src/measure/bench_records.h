// SPDX-License-Identifier: MIT
/* The raw records of a run (measure/bench.h). */
#ifndef ULPLAB_BENCH_RECORDS_H
#define ULPLAB_BENCH_RECORDS_H

#include <jansson.h>

#include "measure/cell.h"
#include "measure/work.h"

struct record_source {
    const struct bench_setup *setup;
    size_t process, environment; /* environment: bytes of padding */
};

/* Returns the fields of a cell's "samples" record that it has whether it ran or not. */
json_t *bench_cell_record(const struct record_source *from, const struct cell *c,
                          enum status status, const char *reason);
json_t *bench_samples_record(const struct record_source *from, const struct cell *c,
                             const struct work_cell *m);
json_t *bench_limit_record(const struct record_source *from, const struct limit_task *task,
                           double value);

#endif
