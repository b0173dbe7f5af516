// SPDX-License-Identifier: MIT
/* Rows of one family and shape, shared by all the cells of a worker that read them and write as
 * much. */
#ifndef ULPLAB_WORKER_DATA_H
#define ULPLAB_WORKER_DATA_H

#include "machine/topology.h"
#include "measure/buffer.h"
#include "measure/work.h"
#include "model/dtype.h"
#include "oracle/inputs.h"

struct data {
    enum family family;
    enum domain domain;
    const struct dtype *type; /* of x */
    size_t output_bytes;      /* of an element of y */
    size_t rows, n, outputs;  /* outputs: per row */
    unsigned threads;
    struct caches caches; /* for each thread */
    struct parameters parameters;
    bool log_output; /* of the jobs */
    struct buffer x, y, scratch;
    void *affine; /* gamma[n], beta[n], of the type that kernels compute in; NULL: none */
    bool has_beta;
    struct gate *gates;
    struct data *next;
};

struct data_store {
    const struct work_header *work;
    const struct topology *topology;
    size_t x_offset, y_offset; /* within a page */
    struct data *first;
    size_t bytes;
};

/* Page offsets of x and y: any cache line of a page, as a user's allocator might choose. */
void data_choose_layout(struct data_store *s);
/* Returns the filled data for an order's kernel. It stays at least until the next call: if a
 * quarter of the memory would not hold more, the rest is unmapped first. */
const struct data *data_for(struct data_store *s, const struct work_order *o,
                            const struct kernel *k);
/* Returns the job of all rows, as thread i sees them. */
struct job data_job(const struct data *d, unsigned i);
void data_drop(struct data_store *s);

#endif
