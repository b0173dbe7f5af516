// SPDX-License-Identifier: MIT
#include "oracle/references.h"

#include <stdio.h>
#include <string.h>

#include "build.h"
#include "oracle/operations.h"

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

const struct oracle *references_find(const char *op)
{
    for (size_t i = 0; i < build_reference_count; i++) {
        const struct oracle *o = build_references[i].oracle;
        if (o && !fault(o) && !strcmp(o->op, op)) return o;
    }
    return NULL;
}

const char *references_source(const struct oracle *o)
{
    for (size_t i = 0; i < build_reference_count; i++)
        if (build_references[i].oracle == o) return build_references[i].source;
    return NULL;
}

static const char *references_file_of(const struct reference_record *r)
{
    const char *slash = strrchr(r->source, '/');
    return slash ? slash + 1 : r->source;
}

/* Returns whether a reference that was not built or is not sound was meant for `op`: its file is
 * named <op>_<algorithm>.c. */
static bool meant_for(const struct reference_record *r, const char *op)
{
    if (r->oracle && r->oracle->op && r->oracle->op[0]) return !strcmp(r->oracle->op, op);
    return !strncmp(references_file_of(r), op, strlen(op)) &&
           strchr("_.", references_file_of(r)[strlen(op)]);
}

void references_missing(const char *op, char *why, size_t size)
{
    for (size_t i = 0; i < build_reference_count; i++) {
        const struct reference_record *r = &build_references[i];
        if (!meant_for(r, op)) continue;
        if (!r->oracle)
            snprintf(why, size, "the reference in %s was not built: %s", references_file_of(r),
                     r->build_error);
        else
            snprintf(why, size, "the reference in %s: %s", references_file_of(r), fault(r->oracle));
        return;
    }
    snprintf(why, size,
             "no reference for '%s': its kernel's file can bring one (include/kernel_reference.h)",
             op);
}

bool references_unused(size_t i, char *line, size_t size)
{
    line[0] = '\0';
    if (i >= build_reference_count) return false;
    const struct reference_record *r = &build_references[i];
    if (!r->oracle || fault(r->oracle)) return true;
    const char *op = r->oracle->op;
    const struct oracle *first = references_find(op);
    const char *other = operations_find(op)  ? "the lab"
                        : first != r->oracle ? references_source(first)
                                             : NULL;
    if (other)
        snprintf(line, size, "the reference of '%s' in %s is not used: %s has one", op,
                 references_file_of(r), other);
    return true;
}
