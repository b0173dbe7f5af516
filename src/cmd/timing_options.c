// SPDX-License-Identifier: MIT
#include "cmd/timing_options.h"

struct bench_request timing_options(const struct options *o, const struct npy *input)
{
    return (struct bench_request){.shapes = o->shapes.items,
                                  .shape_count = o->shapes.count,
                                  .n = o->n.items,
                                  .n_count = o->n.count,
                                  .rows = o->rows.items,
                                  .row_count = o->rows.count,
                                  .families = o->families.items,
                                  .family_count = o->families.count,
                                  .threads = (unsigned)o->threads,
                                  .processes = o->processes,
                                  .rounds = o->samples,
                                  .seed = o->seed,
                                  .input = {input->data, input->rows, input->cols}};
}

struct bench_request timing_options_at_one_shape(const struct options *o, const struct npy *input)
{
    static const char *const usual[] = {"2x2048"};
    struct bench_request request = timing_options(o, input);
    if (request.shape_count || request.n_count || request.row_count || input->data) return request;
    request.shapes = usual;
    request.shape_count = 1;
    return request;
}
