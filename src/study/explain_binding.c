// SPDX-License-Identifier: MIT
#include "study/explain_binding.h"

const char *binding_name(enum binding b)
{
    static const char *const names[] = {"ports",      "latency", "front end", "memory",
                                        "subnormals", "library", "together"};
    return names[b];
}

enum binding binding_of(const struct binding_facts *f)
{
    const double flushing_pays = 0.9, removal_pays = 0.97;
    if (f->flushed < flushing_pays * f->measured) return BINDS_SUBNORMALS;
    if (f->library_share > 0.5) return BINDS_LIBRARY;
    if (f->memory > f->model) return BINDS_MEMORY;
    double least = f->without_ports;
    enum binding b = BINDS_PORTS;
    if (f->without_latency < least) least = f->without_latency, b = BINDS_LATENCY;
    if (f->without_front_end < least) least = f->without_front_end, b = BINDS_FRONT_END;
    return least > removal_pays * f->model ? BINDS_TOGETHER : b;
}
