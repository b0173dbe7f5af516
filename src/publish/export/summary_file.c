// SPDX-License-Identifier: MIT
#include "publish/export/summary_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

static const char head[] =
    "SELECT 1 AS schema, m.slug AS machine, b.version, r.\"commit\", bar, i.pairs AS "
    "\"identical_code.pairs\", i.median AS \"identical_code.median\", i.p90 AS "
    "\"identical_code.p90\", i.p95 AS \"identical_code.p95\", i.p99 AS \"identical_code.p99\", "
    "i.side_by_side AS \"identical_code.side_by_side:bool\" FROM runs r JOIN machines m ON m.id = "
    "r.machine JOIN builds b ON b.id = r.build JOIN identical i ON i.run = r.id, given";

int summary_text(const struct lab_db *l, char **text, size_t *size, struct error *e)
{
    json_t *first = rows_json(l, head, e), *rows = first ? rows_json(l, sql_summary_json, e) : NULL;
    json_t *row;
    size_t i;
    *text = NULL;
    if (rows) {
        char *begin = json_dumps(json_array_get(first, 0), JSON_COMPACT);
        FILE *out = memory_text(text, size);
        /* The head's closing brace makes room for the rows, each on a line of its own. */
        fprintf(out, "%.*s,\"rows\":[\n", (int)strlen(begin) - 1, begin);
        json_array_foreach(rows, i, row)
        {
            if (json_is_null(json_object_get(row, "flags"))) json_object_del(row, "flags");
            json_dumpf(row, out, JSON_COMPACT | JSON_REAL_PRECISION(5));
            fputs(i + 1 < json_array_size(rows) ? ",\n" : "\n", out);
        }
        fputs("]}\n", out);
        memory_text_close(out);
        free(begin);
    }
    const int code = rows ? 0 : EXIT_BAD_INPUT;
    json_decref(first);
    json_decref(rows);
    return code;
}

int summary_write(const struct lab_db *l, const char *folder, struct error *e)
{
    char path[1100], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/summary.json", folder);
    int code = summary_text(l, &text, &size, e);
    if (!code) code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
