// SPDX-License-Identifier: MIT
#include "measure/scan_store.h"

#include <sleef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cpu.h"
#include "measure/promises.h"

/* The version of the method. A change of the oracle, of the error measure or of the hash of results
 * that changes the findings of a scan increases it. */
enum { SCAN_METHOD = 4 };
enum { PATH_ROOM = 1024 };

/* ---- Keys ------------------------------------------------------------------------------------ */

static json_t *libraries(const struct variant *v)
{
    const char *headers = v->build->library;
    if (v->kernel->arithmetic != ARITHMETIC_LIBRARY) return json_null();
    return json_sprintf("glibc %s, SLEEF %d.%d.%d%s%s", glibc_chosen(), SLEEF_VERSION_MAJOR,
                        SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL, headers[0] ? ", " : "",
                        headers);
}

json_t *scan_key(const struct variant *v, const json_t *range)
{
    uint64_t hash = v->build ? v->build->code_hash : 0;
    if (!hash || v->status != STATUS_OK) return NULL;
    return json_pack("{s:o, s:s, s:O, s:i, s:o}", "code_hash", hash_record(hash), "isa", v->isa,
                     "range", range, "method", SCAN_METHOD, "libraries", libraries(v));
}

static bool has_key(const json_t *record, const json_t *key)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)key, name, value)
    {
        if (!json_equal(json_object_get(record, name), value)) return false;
    }
    return true;
}

/* ---- scan.jsonl ------------------------------------------------------------------------------ */

static void path_of(char *path, const char *folder, const char *op)
{
    if (op)
        snprintf(path, PATH_ROOM, "%s/scan-%s.partial.jsonl", folder, op);
    else
        snprintf(path, PATH_ROOM, "%s/scan.jsonl", folder);
}

int scan_store_read(const char *folder, json_t **rows, struct error *e)
{
    return record_read_from(folder, "scan.jsonl", true, rows, e);
}

const json_t *scan_store_find(const json_t *rows, const json_t *key)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (json_object_get(row, "binades") && has_key(row, key)) return row;
    }
    return NULL;
}

static bool same_place(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "id"), json_object_get(b, "id")) &&
           json_equal(json_object_get(a, "range"), json_object_get(b, "range"));
}

static void replace_row(json_t *kept, json_t *row)
{
    for (size_t i = json_array_size(kept); i-- > 0;)
        if (same_place(json_array_get(kept, i), row)) json_array_remove(kept, i);
    json_array_append(kept, row);
}

static int compare_ids(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    return strcmp(record_text(x, "id"), record_text(y, "id"));
}

/* Writes the rows in the order of their ids: the file does not depend on the order of the scans. */
static int write_sorted(const char *path, const json_t *rows, struct error *e)
{
    json_t *sorted = records_sort(rows, compare_ids);
    int code = record_write_file(path, sorted, e);
    json_decref(sorted);
    return code;
}

int scan_store_write(const char *folder, json_t *kept, const json_t *rows, struct error *e)
{
    char path[PATH_ROOM];
    size_t i;
    const json_t *row;
    path_of(path, folder, NULL);
    json_array_foreach(rows, i, row)
    {
        if (json_object_get(row, "code_hash")) replace_row(kept, (json_t *)(uintptr_t)row);
    }
    int code = folder_make(folder, e);
    return code ? code : write_sorted(path, kept, e);
}

/* ---- Unfinished scans ------------------------------------------------------------------------ */

int scan_partial_read(const char *folder, const char *op, json_t **blocks, struct error *e)
{
    char path[PATH_ROOM];
    path_of(path, folder, op);
    return record_read(path, true, blocks, e);
}

int scan_partial_open(const char *folder, const char *op, bool resume, struct record_file *f,
                      struct error *e)
{
    char path[PATH_ROOM];
    path_of(path, folder, op);
    int code = folder_make(folder, e);
    return code ? code : record_open(f, path, !resume, e);
}

void scan_partial_remove(const char *folder, const char *op)
{
    char path[PATH_ROOM];
    path_of(path, folder, op);
    unlink(path);
}

/* The numbers of an outcome that a line of an unfinished scan has. */
static const struct {
    const char *name;
    size_t offset;
} counts[] =
    {
#define COUNT(part, f)                                                                             \
    {                                                                                              \
#part "." #f, offsetof(struct scan_outcome, part.f)                                        \
    }
#define COUNTS_OF(part)                                                                            \
    COUNT(part, measured), COUNT(part, lost), COUNT(part, flushed), COUNT(part, nan),              \
        COUNT(part, inf), COUNT(part, sign), COUNT(part, zero), COUNT(part, misrounded),           \
        COUNT(part, unfaithful), COUNT(part, max_at), COUNT(part, lost_at), COUNT(part, odd_at)
        COUNTS_OF(stats),
        COUNTS_OF(in_short),
        COUNT(regions, of[ULP_NORMAL].at),
        COUNT(regions, of[ULP_SUBNORMAL].at),
        COUNT(regions, of[ULP_ENDS].at),
},
  reals[] = {
      COUNT(stats, max),
      COUNT(stats, sum),
      COUNT(stats, signed_sum),
      COUNT(in_short, max),
      COUNT(in_short, sum),
      COUNT(in_short, signed_sum),
      COUNT(regions, of[ULP_NORMAL].max),
      COUNT(regions, of[ULP_SUBNORMAL].max),
      COUNT(regions, of[ULP_ENDS].max),
#undef COUNTS_OF
#undef COUNT
};
enum { COUNTS = sizeof counts / sizeof *counts, REALS = sizeof reals / sizeof *reals };

int scan_partial_append(struct record_file *f, const json_t *key, size_t block,
                        const struct scan_outcome *o, struct error *e)
{
    json_t *record = json_copy((json_t *)(uintptr_t)key);
    json_object_set_new(record, "block", json_integer((json_int_t)block));
    json_object_set_new(record, "mxcsr_kept", json_boolean(o->mxcsr_kept));
    json_object_set_new(record, "seconds", record_real(o->seconds));
    json_object_set_new(record, "outputs", hash_record(o->outputs));
    const char *base = (const char *)o;
    for (size_t i = 0; i < COUNTS; i++) {
        uint64_t value;
        memcpy(&value, base + counts[i].offset, sizeof value);
        json_object_set_new(record, counts[i].name, json_integer((json_int_t)value));
    }
    for (size_t i = 0; i < REALS; i++) { /* to the last bit */
        double value;
        memcpy(&value, base + reals[i].offset, sizeof value);
        json_object_set_new(record, reals[i].name, record_hex(value));
    }
    return record_append(f, record, e);
}

bool scan_partial_take(const json_t *record, const json_t *key, size_t *block,
                       struct scan_outcome *o)
{
    if (!has_key(record, key)) return false;
    *o = (struct scan_outcome){.mxcsr_kept = json_is_true(json_object_get(record, "mxcsr_kept")),
                               .seconds = json_number_value(json_object_get(record, "seconds"))};
    *block = (size_t)json_integer_value(json_object_get(record, "block"));
    o->outputs = strtoull(record_text(record, "outputs"), NULL, 16);
    char *base = (char *)o;
    for (size_t i = 0; i < COUNTS; i++) {
        const json_t *number = json_object_get(record, counts[i].name);
        if (!number) return false; /* an earlier version's */
        const uint64_t value = (uint64_t)json_integer_value(number);
        memcpy(base + counts[i].offset, &value, sizeof value);
    }
    for (size_t i = 0; i < REALS; i++) {
        const char *text = json_string_value(json_object_get(record, reals[i].name));
        double value = text ? strtod(text, NULL) : -1;
        memcpy(base + reals[i].offset, &value, sizeof value);
    }
    return true;
}
