// SPDX-License-Identifier: MIT
#include "publish/load/earlier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/modes.h"
#include "measure/stats.h"
#include "model/record.h"

enum { TEXT_ROOM = 320 };
static const char suffix[] = "/log=1", op[] = "softmax/";

/* ---- log_softmax ----------------------------------------------------------------------------- */

/* "softmax/../threads=1/log=1" is "log_softmax/../threads=1". */
static void rename_text(json_t *record, const char *key)
{
    const char *text = record_text(record, key), *at = strstr(text, suffix);
    char renamed[TEXT_ROOM];
    if (strncmp(text, op, sizeof op - 1) != 0) return;
    size_t head = at ? (size_t)(at - text) : strlen(text);
    snprintf(renamed, sizeof renamed, "log_%.*s%s", (int)head, text,
             at ? at + sizeof suffix - 1 : "");
    json_object_set_new(record, key, json_string(renamed));
}

static bool is_log(const json_t *record)
{
    return json_is_true(json_object_get(record, "log")) ||
           strstr(record_text(record, "id"), suffix);
}

/* Notes the variant in `named`. */
static void rename_record(json_t *record, json_t *named)
{
    static const char *const keys[] = {"id", "variant", "block"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) rename_text(record, keys[i]);
    json_object_del(record, "log");
    const char *variant = record_text(record, record_text(record, "variant")[0] ? "variant" : "id");
    json_object_set_new(named, variant, json_true());
}

/* The kernels of what was renamed, once more. */
static int add_codes(json_t *codegen, json_t *named)
{
    json_t *found = json_array(), *record;
    size_t i;
    json_array_foreach(codegen, i, record)
    {
        json_t *copy = json_copy(record);
        rename_text(copy, "id");
        if (!strncmp(record_text(record, "id"), op, sizeof op - 1) &&
            json_object_get(named, record_text(copy, "id")))
            json_array_append(found, copy);
        json_decref(copy);
    }
    int failed = json_array_extend(codegen, found);
    json_decref(found);
    return failed;
}

int earlier_log_softmax(json_t *codegen, json_t *accuracy, json_t *timing, json_t *errors,
                        struct error *e)
{
    json_t *named = json_object(), *record;
    size_t i;
    json_array_foreach(timing, i, record)
    {
        if (is_log(record)) rename_record(record, named);
    }
    json_array_foreach(errors, i, record)
    {
        rename_record(record, named);
        /* It was softmax's word, which is another function. */
        json_object_set_new(record, "near_zero", json_true());
    }
    int failed = !named || json_array_extend(accuracy, errors) || add_codes(codegen, named);
    json_decref(named);
    if (!failed) return 0;
    return fail(e, EXIT_PARTIAL, "out of memory: %zu records; free some",
                json_array_size(timing) + json_array_size(errors));
}

/* ---- layernorm ------------------------------------------------------------------------------- */

static const char norm[] = "layernorm", bare[] = "layernorm_bare";

/* "layernorm", or what begins with "layernorm/". */
static bool is_of_norm(const char *text)
{
    size_t length = strlen(norm);
    return !strncmp(text, norm, length) && (!text[length] || text[length] == '/');
}

static void rename_norms(json_t *value);

static void rename_in_object(json_t *object)
{
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        rename_norms(json_object_iter_value(at));
}

/* Every id and name in a record, however deep. */
static void rename_norms(json_t *value)
{
    const char *text = json_string_value(value);
    size_t i;
    json_t *item;
    if (text && is_of_norm(text)) {
        char renamed[TEXT_ROOM];
        snprintf(renamed, sizeof renamed, "%s%s", bare, text + strlen(norm));
        json_string_set(value, renamed);
    } else if (json_is_object(value)) {
        rename_in_object(value);
    } else {
        json_array_foreach(value, i, item) rename_norms(item);
    }
}

/* How many records are of layernorm; *said: of them, with gamma and beta. */
static size_t count_norms(const json_t *records, size_t *said)
{
    size_t count = 0, i;
    const json_t *record;
    json_array_foreach(records, i, record)
    {
        if (!is_of_norm(record_text(record, "id"))) continue;
        count++;
        *said += json_is_true(json_object_get(record, "affine"));
    }
    return count;
}

void earlier_layernorm(const json_t *accuracy, const json_t *timing, json_t *const *all,
                       size_t count)
{
    size_t said = 0, norms = count_norms(accuracy, &said) + count_norms(timing, &said);
    for (size_t i = 0; i < count && norms && !said; i++) rename_norms(all[i]);
}

/* ---- Two modes ------------------------------------------------------------------------------- */

static struct modes modes_of_record(const json_t *record)
{
    const json_t *medians = json_object_get(record, "process_medians_ns"), *median;
    double *times = memory_zeroed(json_array_size(medians) + 1, sizeof *times);
    size_t count = 0, i;
    json_array_foreach(medians, i, median) if (json_number_value(median) > 0) times[count++] =
        json_number_value(median);
    struct modes m = modes_of(times, count);
    free(times);
    return m;
}

static struct interval usual_interval(const json_t *record, const struct modes *m)
{
    const json_t *medians = json_object_get(record, "process_medians_ns"), *median;
    size_t room = json_array_size(medians), count = 0, i;
    double *values = memory_zeroed(room + 1, sizeof *values);
    const double **samples = memory_zeroed(room + 1, sizeof *samples);
    size_t *sizes = memory_zeroed(room + 1, sizeof *sizes);
    bool exact;
    json_array_foreach(medians, i, median)
    {
        values[count] = json_number_value(median);
        if (values[count] < m->low || values[count] > m->high) continue;
        samples[count] = &values[count];
        sizes[count++] = 1;
    }
    struct interval ci = stats_median_interval(&(struct clusters){samples, sizes, count}, &exact);
    free(values);
    free(samples);
    free(sizes);
    return ci;
}

/* Times grow by `factor`, rates fall. */
static void scale(json_t *record, double factor)
{
    static const struct {
        const char *key;
        int power;
    } figures[] = {{"ns_per_row", 1}, {"ns_per_element", 1}, {"cycles_per_element", 1},
                   {"gb_per_s", -1},  {"flops_per_s", -1},   {"percent_of_limit", -1},
                   {"spread", -1}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double value = record_number(record, figures[i].key);
        json_object_set_new(record, figures[i].key,
                            record_real(figures[i].power > 0 ? value * factor : value / factor));
    }
}

static void find_modes(json_t *record)
{
    struct modes m = modes_of_record(record);
    if (m.count < 2) return;
    scale(record, m.items[m.usual].time / record_number(record, "ns_per_row"));
    struct interval ci = usual_interval(record, &m);
    json_object_set_new(record, "ci_low", record_real(ci.low));
    json_object_set_new(record, "ci_high", record_real(ci.high));
    json_object_set_new(record, "modes", modes_record(&m));
    json_array_append_new(json_object_get(record, "flags"), json_string("two-modes"));
}

static void find_unsteady(json_t *record)
{
    const json_t *values = json_object_get(record, "low_ns"), *value;
    double *low = memory_zeroed(json_array_size(values) + 1, sizeof *low);
    size_t i;
    json_array_foreach(values, i, value) low[i] = json_number_value(value);
    if (modes_unsteady(record_number(record, "ns_per_row"), low, json_array_size(values)))
        json_array_append_new(json_object_get(record, "flags"), json_string("unsteady"));
    free(low);
}

void earlier_modes(json_t *timing)
{
    size_t i;
    json_t *record;
    json_array_foreach(timing, i, record)
    {
        if (!json_object_get(record, "modes")) find_modes(record);
        if (!record_has_flag(record, "unsteady")) find_unsteady(record);
    }
}
