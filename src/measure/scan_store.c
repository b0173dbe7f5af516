// SPDX-License-Identifier: MIT
#include "measure/scan_store.h"

#include <sleef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int compare_ids(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    return strcmp(record_text(x, "id"), record_text(y, "id"));
}

/* Puts the rows of known code in the place of those of the same id and range, and writes the file
 * anew, in the order of the ids: it does not depend on the order of the scans. */
static int scan_store_write(const char *folder, const json_t *kept, json_t *rows, struct error *e)
{
    static const char *const keys[] = {"id", "range", NULL};
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/scan.jsonl", folder);
    int code = folder_make(folder, e);
    if (code) return code;
    for (size_t i = json_array_size(rows); i-- > 0;)
        if (!json_object_get(json_array_get(rows, i), "code_hash")) json_array_remove(rows, i);
    json_t *all = records_replaced(kept, rows, keys), *sorted = records_sort(all, compare_ids);
    code = record_write_file(path, sorted, e);
    json_decref(all);
    json_decref(sorted);
    return code;
}

int scan_put_rows(const struct scan_request *q, json_t *kept, json_t *rows, struct record_sink sink,
                  struct scan_summary *summary, struct error *e)
{
    int code = 0;
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        summary->kept += json_is_true(json_object_get(row, "kept"));
        tally_add(&summary->rows, status_from_name(record_text(row, "status")));
        if (!code) code = sink.put(sink.context, json_deep_copy(row), e);
        json_object_del(row, "kept");
    }
    return code || !q->folder ? code : scan_store_write(q->folder, kept, rows, e);
}

double scan_part_share(const struct scan_request *q, double share)
{
    const struct scan_part *p = &q->part;
    return p->whole ? ((double)p->before + share * (double)p->size) / (double)p->whole : share;
}

/* ---- Unfinished scans ------------------------------------------------------------------------ */

void scan_partial_path(char *path, size_t size, const char *folder, const char *op)
{
    snprintf(path, size, "%s/scan-%s.partial.jsonl", folder, op);
}

/* A line of an unfinished scan has the outcome's words, bit for bit, and is read by a program in
 * which an outcome is as long. */
enum { OUTCOME_WORDS = sizeof(struct scan_outcome) / sizeof(json_int_t) };
_Static_assert(sizeof(struct scan_outcome) % sizeof(json_int_t) == 0, "an outcome is whole words");

int scan_partial_append(struct record_file *f, const json_t *key, size_t block,
                        const struct scan_outcome *o, struct error *e)
{
    json_int_t words[OUTCOME_WORDS];
    json_t *record = json_copy((json_t *)(uintptr_t)key), *outcome = json_array();
    memcpy(words, o, sizeof words);
    for (size_t i = 0; i < OUTCOME_WORDS; i++)
        json_array_append_new(outcome, json_integer(words[i]));
    json_object_set_new(record, "block", json_integer((json_int_t)block));
    json_object_set_new(record, "outcome", outcome);
    return record_append(f, record, e);
}

bool scan_partial_take(const json_t *record, const json_t *key, size_t *block,
                       struct scan_outcome *o)
{
    json_int_t words[OUTCOME_WORDS];
    const json_t *outcome = json_object_get(record, "outcome");
    if (!has_key(record, key) || json_array_size(outcome) != OUTCOME_WORDS) return false;
    for (size_t i = 0; i < OUTCOME_WORDS; i++)
        words[i] = json_integer_value(json_array_get(outcome, i));
    memcpy(o, words, sizeof words);
    *block = (size_t)json_integer_value(json_object_get(record, "block"));
    return true;
}
