// SPDX-License-Identifier: MIT
/* The limits of a run, from the raw records of all processes. */
#include <stdio.h>
#include <string.h>

#include "measure/limits.h"
#include "model/record.h"

static json_t *summary_row(const json_t *record, const struct topology *t,
                           const struct effective *effective)
{
    json_t *row = json_object();
    static const char *const copied[] = {"name", "isa", "value", "unit", "threads", "bytes"};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        json_object_set(row, copied[i], json_object_get(record, copied[i]));
    json_int_t bytes = json_integer_value(json_object_get(record, "bytes"));
    unsigned threads = (unsigned)json_integer_value(json_object_get(record, "threads"));
    json_t *level = json_null();
    if (bytes > 0)
        level =
            json_string(level_name(residency(t, effective, (size_t)bytes, threads ? threads : 1)));
    json_object_set_new(row, "level", level);
    json_object_set_new(row, "processes", json_integer(1));
    return row;
}

static void merge_record(json_t *row, const json_t *record)
{
    json_t *old = json_object_get(row, "value"), *new = json_object_get(record, "value");
    if (json_number_value(new) > json_number_value(old)) json_object_set(row, "value", new);
    json_int_t processes = json_integer_value(json_object_get(row, "processes"));
    json_object_set_new(row, "processes", json_integer(processes + 1));
}

json_t *limits_summarise(const json_t *records, const struct topology *t,
                         const struct effective *effective)
{
    json_t *rows = json_array(), *by_name = json_object(), *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        const char *kind = json_string_value(json_object_get(record, "record"));
        const char *name = json_string_value(json_object_get(record, "name"));
        if (!kind || !name || strcmp(kind, "limit") != 0) continue;
        json_t *row = json_object_get(by_name, name);
        if (row) {
            merge_record(row, record);
            continue;
        }
        row = summary_row(record, t, effective);
        json_object_set(by_name, name, row);
        json_array_append_new(rows, row);
    }
    json_decref(by_name);
    for (enum level l = 0; l < LEVEL_DRAM; l++) {
        char name[LIMIT_NAME_MAX];
        snprintf(name, sizeof name, "effective-%s", level_name(l));
        if (effective->bytes[l])
            json_array_append_new(rows, json_pack("{s:s, s:n, s:s, s:I, s:s, s:I}", "name", name,
                                                  "isa", "level", level_name(l), "value",
                                                  (json_int_t)effective->bytes[l], "unit", "B",
                                                  "nominal", (json_int_t)t->caches[l].bytes));
    }
    return rows;
}
