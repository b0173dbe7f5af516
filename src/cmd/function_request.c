// SPDX-License-Identifier: MIT
#include "cmd/function_request.h"

struct trial_request function_request(const struct options *o, const char *function,
                                      const char *isa)
{
    return (struct trial_request){
        .subject = {.path = o->positional.items[0],
                    .function = function,
                    .flags = o->flags,
                    .compdb = o->compdb},
        .op = o->op,
        .call = o->call,
        .also = o->also.items,
        .also_count = o->also.count,
        .link = o->link.items,
        .link_count = o->link.count,
        .isa = isa,
        .reference = o->ref,
        .reference_call = o->ref_call,
        .scale = o->scale,
        .steps = o->steps,
        .step = o->step.given ? o->step.value : 0,
        .aligned = o->aligned,
        .multiple = o->multiple,
        .columns = o->columns,
        .inputs = o->inputs.items,
        .input_count = o->inputs.count,
    };
}
