// SPDX-License-Identifier: MIT
#include "publish/export/summary_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

int summary_write(const struct lab_db *l, const char *folder, struct error *e)
{
    char path[1100], *text = NULL;
    size_t size = 0, i;
    json_t *document = rows_document(l, sql_summary_json, e), *row;
    if (!document) return EXIT_BAD_INPUT;
    json_t *rows = json_incref(json_object_get(document, "rows"));
    json_object_del(document, "rows");
    char *head = json_dumps(document, JSON_COMPACT);
    FILE *out = memory_text(&text, &size);
    /* The head's closing brace makes room for the rows, each on a line of its own. */
    fprintf(out, "%.*s,\"rows\":[\n", (int)strlen(head) - 1, head);
    json_array_foreach(rows, i, row)
    {
        json_dumpf(row, out, JSON_COMPACT | JSON_REAL_PRECISION(5));
        fputs(i + 1 < json_array_size(rows) ? ",\n" : "\n", out);
    }
    fputs("]}\n", out);
    memory_text_close(out);
    snprintf(path, sizeof path, "%s/summary.json", folder);
    const int code = file_write_atomic(path, text, size, e);
    json_decref(document);
    json_decref(rows);
    free(head);
    free(text);
    return code;
}
