// SPDX-License-Identifier: MIT
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "model/registry.h"

const struct parameters parameters_default = {.scale = 1, .eps = 1e-5f};

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

/* ---- Users' references (include/kernel_reference.h) ------------------------------------------ */

static size_t output_names(const struct oracle *o)
{
    size_t count = 0;
    while (count < OUTPUTS_MAX && o->outputs[count]) count++;
    return count;
}

/* Returns the fault in a reference, or NULL. */
static const char *fault(const struct oracle *o)
{
    if (!o->op || !o->op[0]) return "it has no .op";
    if (!o->row) return "it has no .row";
    if (!o->elementwise && !o->columns) return "it has no outputs: set .elementwise or .columns";
    if (o->columns > OUTPUTS_MAX || output_names(o) != o->elementwise + o->columns)
        return "its .outputs must name y where .elementwise, then each of .columns, 3 at most";
    if (o->unary && (!o->elementwise || o->columns)) return "it is .unary, but not elementwise";
    return NULL;
}

/* Returns the first sound reference of users' files for that operation, or NULL. */
static const struct oracle *reference_find(const char *op)
{
    for (size_t i = 0; i < build_reference_count; i++) {
        const struct oracle *o = build_references[i].oracle;
        if (o && !fault(o) && !strcmp(o->op, op)) return o;
    }
    return NULL;
}

/* Returns the lab's own operation, or NULL. */
static const struct oracle *operation_find(const char *op)
{
    size_t i = 0;
    while (oracle_at(i) && strcmp(oracle_at(i)->op, op) != 0) i++;
    return oracle_at(i);
}

const struct oracle *oracle_find(const char *op)
{
    const struct oracle *own = operation_find(op);
    return own ? own : reference_find(op);
}

const char *oracle_source(const struct oracle *o)
{
    for (size_t i = 0; i < build_reference_count; i++)
        if (build_references[i].oracle == o) return build_references[i].source;
    return NULL;
}

static const char *reference_file(const struct reference_record *r)
{
    const char *slash = strrchr(r->source, '/');
    return slash ? slash + 1 : r->source;
}

/* Returns whether a reference that was not built or is not sound was meant for `op`: its file is
 * named <op>_<algorithm>.c. */
static bool meant_for(const struct reference_record *r, const char *op)
{
    if (r->oracle && r->oracle->op && r->oracle->op[0]) return !strcmp(r->oracle->op, op);
    return !strncmp(reference_file(r), op, strlen(op)) &&
           strchr("_.", reference_file(r)[strlen(op)]);
}

void oracle_missing(const char *op, char *why, size_t size)
{
    for (size_t i = 0; i < build_reference_count; i++) {
        const struct reference_record *r = &build_references[i];
        if (!meant_for(r, op)) continue;
        if (!r->oracle)
            snprintf(why, size, "the reference in %s was not built: %s", reference_file(r),
                     r->build_error);
        else
            snprintf(why, size, "the reference in %s: %s", reference_file(r), fault(r->oracle));
        return;
    }
    snprintf(why, size,
             "no reference for '%s': its kernel's file can bring one (include/kernel_reference.h)",
             op);
}

bool oracle_unused(size_t i, char *line, size_t size)
{
    line[0] = '\0';
    if (i >= build_reference_count) return false;
    const struct reference_record *r = &build_references[i];
    if (!r->oracle || fault(r->oracle)) return true;
    const char *op = r->oracle->op;
    const struct oracle *first = reference_find(op);
    const char *other = operation_find(op)   ? "the lab"
                        : first != r->oracle ? oracle_source(first)
                                             : NULL;
    if (other)
        snprintf(line, size, "the reference of '%s' in %s is not used: %s has one", op,
                 reference_file(r), other);
    return true;
}
