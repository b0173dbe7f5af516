// SPDX-License-Identifier: MIT
#include "publish/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/load/origin.h"
#include "publish/render/csv.h"

/* ---- google-benchmark ----------------------------------------------------------------------- */

static json_t *caches_of(const json_t *machine)
{
    json_t *caches = json_array();
    const json_t *list = json_object_get(json_object_get(machine, "topology"), "caches"), *cache;
    size_t i;
    json_array_foreach(list, i, cache)
    {
        const char *level = record_text(cache, "level"); /* "L1" */
        json_int_t bytes = json_integer_value(json_object_get(cache, "bytes"));
        if (level[0] != 'L' || bytes <= 0) continue;
        json_array_append_new(
            caches, json_pack("{s:s, s:i, s:I, s:I}", "type", level[1] == '1' ? "Data" : "Unified",
                              "level", level[1] - '0', "size", bytes, "num_sharing",
                              json_integer_value(json_object_get(cache, "shared_by"))));
    }
    return caches;
}

/* Puts a value; what a folder does not say is left out. */
static void put_known(json_t *context, const char *key, double value)
{
    if (!isnan(value)) json_object_set_new(context, key, json_integer((json_int_t)value));
}

static json_t *context_of(const struct results *r)
{
    const json_t *machine = json_object_get(r->machine, "machine");
    const json_t *topology = json_object_get(machine, "topology");
    const json_t *clocks = json_object_get(machine, "clocks");
    struct origin o = origin_of(r);
    json_t *context = json_pack(
        "{s:s, s:s, s:s, s:o, s:[], s:s, s:s, s:i}", "date", started_text(origin_started(r)),
        "host_name", o.slug, "executable", "ulplab", "caches", caches_of(machine), "load_avg",
        "library_version", o.version, "library_build_type", "release", "json_schema_version", 1);
    put_known(context, "num_cpus", record_number(topology, "processors"));
    put_known(context, "mhz_per_cpu", record_number(clocks, "tsc_mhz"));
    json_t *own = json_pack("{s:s, s:s, s:s}", "ulplab_commit", o.commit, "cpu_brand", o.brand,
                            "label", o.label);
    json_object_update(context, own);
    json_decref(own);
    return context;
}

/* The cell's id, with the family where it is not the usual one: a name must tell cells apart. */
static void name_of(const struct timing_result *t, char *name, size_t size)
{
    bool usual = !t->family[0] || !strcmp(t->family, "normal");
    snprintf(name, size, "%s%s%s", record_text(t->record, "id"),
             usual ? "" : "/family=", usual ? "" : t->family);
}

/* One process; numbers beyond the times are what trackers plot beside them. */
static json_t *iteration_of(const struct timing_result *t, const char *name, size_t family,
                            size_t repetitions, size_t repetition, double ns)
{
    json_t *row =
        json_pack("{s:s, s:I, s:i, s:s, s:s, s:I, s:I, s:I, s:i, s:f, s:f, s:s}", "name", name,
                  "family_index", (json_int_t)family, "per_family_instance_index", 0, "run_name",
                  name, "run_type", "iteration", "repetitions", (json_int_t)repetitions,
                  "repetition_index", (json_int_t)repetition, "threads", (json_int_t)t->threads,
                  "iterations", 1, "real_time", ns, "cpu_time", ns, "time_unit", "ns");
    static const char *const counters[] = {"cycles_per_element", "percent_of_limit"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        json_t *value = json_object_get(t->record, counters[i]);
        if (json_is_number(value)) json_object_set(row, counters[i], value);
    }
    return row;
}

/* A failed cell has no time and stays out: a null would crash compare.py. */
static void add_cell(json_t *benchmarks, const struct timing_result *t, size_t family)
{
    const json_t *medians = json_object_get(t->record, "process_medians_ns"), *median;
    double rows = t->rows ? (double)t->rows : 1;
    double ns_per_row = json_number_value(json_object_get(t->record, "ns_per_row"));
    size_t count = json_array_size(medians), i;
    char name[320];
    name_of(t, name, sizeof name);
    if (!(ns_per_row > 0)) return;
    if (!count) {
        json_array_append_new(benchmarks, iteration_of(t, name, family, 1, 0, ns_per_row * rows));
        return;
    }
    json_array_foreach(medians, i, median) if (json_number_value(median) > 0) json_array_append_new(
        benchmarks, iteration_of(t, name, family, count, i, json_number_value(median) * rows));
}

static void write_gbench(const struct results *r, FILE *out)
{
    json_t *benchmarks = json_array();
    for (size_t i = 0; i < r->timing_count + r->peer_timing_count; i++)
        add_cell(benchmarks, &r->timings[i], i);
    json_t *document = json_pack("{s:o, s:o}", "context", context_of(r), "benchmarks", benchmarks);
    json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(document);
}

enum { KEY_ROOM = 256 };

/* ---- Flat records --------------------------------------------------------------------------- */

static bool is_object_in_list(const json_t *list)
{
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) if (json_is_object(item) || json_is_array(item)) return true;
    return false;
}

/* {"a": {"b": 1}} becomes {"a.b": 1}; a list of objects {"a.0.b": ..}. */
static void flatten(json_t *flat, const char *prefix, json_t *value)
{
    char name[KEY_ROOM];
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_object(value)) {
        json_object_foreach(value, key, item)
        {
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
            flatten(flat, name, item);
        }
    } else if (is_object_in_list(value)) {
        json_array_foreach(value, i, item)
        {
            snprintf(name, sizeof name, "%s.%zu", prefix, i);
            flatten(flat, name, item);
        }
    } else {
        json_object_set(flat, prefix, value);
    }
}

enum { IDENTITY = 8 }; /* of a flat record's keys: the machine and the variant's axes */

static json_t *flat_record(const struct origin *o, const struct axes *a, const json_t *record)
{
    json_t *flat = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "machine", o->slug,
                             "commit", o->commit, "op", a->op, "algorithm", a->algorithm, "dtype",
                             a->dtype, "isa", a->isa, "cc", a->cc, "policy", a->policy);
    json_t *copy = json_copy((json_t *)(uintptr_t)record);
    flatten(flat, "", copy);
    json_decref(copy);
    return flat;
}

/* Every row of both tables, flat. */
static json_t *flat_records(const struct results *r)
{
    struct origin o = origin_of(r);
    json_t *records = json_array();
    for (size_t i = 0; i < r->accuracy_count + r->peer_accuracy_count; i++)
        json_array_append_new(records,
                              flat_record(&o, &r->accuracies[i].axes, r->accuracies[i].record));
    for (size_t i = 0; i < r->timing_count + r->peer_timing_count; i++)
        json_array_append_new(records, flat_record(&o, &r->timings[i].axes, r->timings[i].record));
    return records;
}

static void write_jsonl(const struct results *r, FILE *out)
{
    json_t *records = flat_records(r), *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        json_dumpf(record, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', out);
    }
    json_decref(records);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void print_scalar(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
}

/* null and what is not there are empty. */
static void put_value(FILE *out, const json_t *value)
{
    char *text = NULL;
    size_t size = 0, i;
    const json_t *item;
    const char *first = json_string_value(json_is_array(value) ? json_array_get(value, 0) : value);
    FILE *field = memory_text(&text, &size);
    if (first && csv_is_formula(first)) fputc('\'', field); /* the sign of a text */
    print_scalar(field, value);
    json_array_foreach(value, i, item)
    {
        if (i) fputc(' ', field);
        print_scalar(field, item);
    }
    memory_text_close(field);
    csv_put(out, text);
    free(text);
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* The columns, every key that occurs: in an order that does not depend on which others there are.
 * They borrow from `seen`. */
static const char **columns_of(const json_t *records, json_t *seen, size_t *count)
{
    json_t *record, *value;
    const char *key;
    size_t i;
    json_array_foreach(records, i, record)
        json_object_foreach(record, key, value) if (!json_object_get(seen, key))
            json_object_set_new(seen, key, json_true());
    const char **columns = memory_zeroed(json_object_size(seen) + 1, sizeof *columns);
    *count = 0;
    json_object_foreach(seen, key, value) columns[(*count)++] = key;
    if (*count > IDENTITY) qsort(columns + IDENTITY, *count - IDENTITY, sizeof *columns, by_name);
    return columns;
}

static void write_csv(const struct results *r, FILE *out)
{
    json_t *records = flat_records(r), *seen = json_object(), *record;
    size_t count, i;
    const char **columns = columns_of(records, seen, &count);
    for (size_t k = 0; k < count; k++) {
        char name[KEY_ROOM + 1];
        snprintf(name, sizeof name, "%s%s", csv_is_formula(columns[k]) ? "'" : "", columns[k]);
        if (k) fputc(',', out);
        csv_put(out, name);
    }
    fputs("\r\n", out);
    json_array_foreach(records, i, record)
    {
        for (size_t k = 0; k < count; k++) {
            if (k) fputc(',', out);
            put_value(out, json_object_get(record, columns[k]));
        }
        fputs("\r\n", out);
    }
    free(columns);
    json_decref(seen);
    json_decref(records);
}

/* ---- The whole ------------------------------------------------------------------------------ */

int export_write(const struct results *r, const char *format, FILE *out, struct error *e)
{
    static const struct {
        const char *name;
        void (*write)(const struct results *, FILE *);
    } formats[] = {{"gbench", write_gbench}, {"csv", write_csv}, {"jsonl", write_jsonl}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) != 0) continue;
        formats[i].write(r, out);
        if (fflush(out) != 0 || ferror(out))
            return errno == EPIPE /* its reader has seen enough */
                       ? 0
                       : fail(e, EXIT_BAD_INPUT, "cannot write: the export: %s; free some space",
                              strerror(errno));
        return 0;
    }
    return fail(e, EXIT_USAGE, "export: --format %s: unknown; known: gbench, csv, jsonl, archive",
                format);
}
