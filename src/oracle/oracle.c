// SPDX-License-Identifier: MIT
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

#include "model/arguments.h"
#include "oracle/operations.h"
#include "oracle/references.h"

const struct parameters parameters_default = {.scale = 1, .eps = 1e-5f};

const struct oracle *oracle_find(const char *op)
{
    const struct oracle *own = operations_find(op);
    return own ? own : references_find(op);
}

const struct oracle *oracle_at(size_t i)
{
    return operations_at(i);
}

const char *oracle_source(const struct oracle *o)
{
    return references_source(o);
}

void oracle_missing(const char *op, char *why, size_t size)
{
    references_missing(op, why, size);
}

bool oracle_overflows(const struct oracle_row *facts)
{
    return isfinite(facts->squares) && facts->squares >= 0x1p127;
}

size_t oracle_columns(const char *op, size_t n)
{
    const struct oracle *o = oracle_find(op);
    return o ? oracle_results(o, n) : n;
}

size_t oracle_results(const struct oracle *o, size_t n)
{
    return !o->elementwise ? o->columns : o->results ? o->results(n) : n;
}

size_t oracle_values(const struct oracle *o, size_t n)
{
    return oracle_results(o, n) + (o->elementwise ? o->columns : 0);
}

bool oracle_has_beta(const struct oracle *o)
{
    return arguments_of(o->op, "") & ARGUMENT_BETA;
}

bool oracle_is_affine(const struct oracle *o)
{
    return arguments_of(o->op, "") & ARGUMENT_GAMMA;
}
