// SPDX-License-Identifier: MIT
/* schema: the fields of a --json document, a file or a record. */
#include "publish/export/export.h"

#include "cmd/common.h"
#include "model/record.h"

int cmd_schema(const struct options *o, struct error *e)
{
    if (o->positional.count > 1) return fail(e, EXIT_USAGE, "schema: name one");
    if (!o->positional.count) {
        schema_list(stdout);
        return 0;
    }
    json_t *schema = schema_of(o->positional.items[0]);
    if (!schema)
        return fail(e, EXIT_USAGE, "schema: %s: unknown name; 'ulplab schema' lists the names",
                    o->positional.items[0]);
    return record_print(schema, e);
}
