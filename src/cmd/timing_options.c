#include "cmd/timing_options.h"

struct bench_request timing_options(const struct options *o)
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
                                  .seed = o->seed};
}

struct bench_request timing_options_at_one_shape(const struct options *o)
{
    static const char *const usual[] = {"2x2048"};
    struct bench_request request = timing_options(o);
    if (request.shape_count || request.n_count || request.row_count) return request;
    request.shapes = usual;
    request.shape_count = 1;
    return request;
}
