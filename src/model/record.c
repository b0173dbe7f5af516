// SPDX-License-Identifier: MIT
#include "model/record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <time.h>

#include "base/memory.h"
#include "build.h"

json_t *record_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *record_hex(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%a", value);
    return json_string(text);
}

json_t *record_float(float value)
{
    char text[40];
    uint32_t bits;
    if (!isnan(value)) return record_hex((double)value);
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "nan(0x%08x)", bits);
    return json_string(text);
}

json_t *record_double(double value)
{
    char text[40];
    uint64_t bits;
    if (!isnan(value)) return record_hex(value);
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "nan(0x%016" PRIx64 ")", bits);
    return json_string(text);
}

const char *record_text(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return text ? text : "";
}

double record_number(const json_t *record, const char *key)
{
    const json_t *value = json_object_get(record, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

void record_put_figure(json_t *record, const char *key, double value)
{
    json_object_set_new(record, key, record_real(value));
    if (!isinf(value)) return;
    json_t *infinite = json_object_get(record, "infinite");
    if (!infinite) json_object_set_new(record, "infinite", infinite = json_array());
    json_array_append_new(infinite, json_string(key));
}

double record_figure(const json_t *record, const char *key)
{
    size_t i;
    const json_t *name;
    json_array_foreach(json_object_get(record, "infinite"), i, name)
    {
        if (!strcmp(json_string_value(name) ? json_string_value(name) : "", key)) return INFINITY;
    }
    return record_number(record, key);
}

bool record_has_flag(const json_t *record, const char *name)
{
    const json_t *flag;
    size_t i;
    json_array_foreach(json_object_get(record, "flags"), i, flag)
    {
        if (json_is_string(flag) && !strcmp(json_string_value(flag), name)) return true;
    }
    return false;
}

size_t record_count(const json_t *record, const char *key)
{
    double value = record_number(record, key);
    return value >= 0 && value <= 1e15 ? (size_t)value : 0;
}

static int append_to_array(void *context, json_t *record, struct error *e)
{
    (void)e;
    json_array_append_new(context, record);
    return 0;
}

struct record_sink record_sink_array(json_t *array)
{
    return (struct record_sink){.put = append_to_array, .context = array};
}

json_t *record_document(json_t *machine)
{
    return json_pack("{s:i, s:{s:s, s:s}, s:o}", "schema", RECORD_SCHEMA, "tool", "version",
                     build_version, "commit", build_commit, "machine", machine);
}

int record_print(json_t *document, struct error *e)
{
    int bad = json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(document);
    if (bad || putchar('\n') == EOF || fflush(stdout) != 0)
        return errno == EPIPE /* its reader has closed the pipe */
                   ? 0
                   : fail(e, EXIT_BAD_INPUT, "cannot write: standard output: %s; free some space",
                          strerror(errno));
    return 0;
}

int record_write(FILE *out, const json_t *record)
{
    return json_dumpf(record, out, RECORD_FLAGS) != 0 || putc('\n', out) == EOF ? -1 : 0;
}

json_t *records_sort(const json_t *records, int (*compare)(const void *, const void *))
{
    size_t count = json_array_size(records);
    json_t *array = json_array(), **sorted = memory_new((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++) sorted[i] = json_array_get(records, i);
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++) json_array_append(array, sorted[i]);
    free(sorted);
    return array;
}

bool records_agree(const json_t *a, const json_t *b, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *x = json_object_get(a, *keys), *y = json_object_get(b, *keys);
        if (x && y ? !json_equal(x, y) : strcmp(record_text(a, *keys), record_text(b, *keys)) != 0)
            return false;
    }
    return true;
}

json_t *records_replaced(const json_t *old, const json_t *records, const char *const *keys)
{
    json_t *all = json_array(), *was;
    const size_t count = json_array_size(records);
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)old, i, was)
    {
        size_t k = 0;
        while (k < count && !records_agree(was, json_array_get(records, k), keys)) k++;
        if (k == count) json_array_append(all, was);
    }
    json_array_extend(all, (json_t *)(uintptr_t)records);
    return all;
}

/* ---- Rows that differ in nothing but their id ------------------------------------------------ */

static char *content_without_id(const json_t *record)
{
    json_t *rest = json_copy((json_t *)(uintptr_t)record);
    json_object_del(rest, "id");
    char *content = json_dumps(rest, RECORD_FLAGS);
    json_decref(rest);
    return content;
}

json_t *records_fold(const json_t *records)
{
    json_t *folded = json_array(), *first_of = json_object();
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        char *content = content_without_id(record);
        json_t *first = content ? json_object_get(first_of, content) : NULL;
        if (first) {
            json_t *also = json_object_get(first, "also");
            if (!also) json_object_set_new(first, "also", also = json_array());
            json_array_append(also, json_object_get(record, "id"));
        } else {
            json_t *copy = json_copy(record);
            if (content) json_object_set(first_of, content, copy);
            json_array_append_new(folded, copy);
        }
        free(content);
    }
    json_decref(first_of);
    return folded;
}

/* ---- A measurement that was interrupted ------------------------------------------------------ */

enum { KEY_MAX = 400 };

static void write_key(const char *name, const char *family, long long number, char key[KEY_MAX])
{
    snprintf(key, KEY_MAX, "%s %s %lld", name, family, number);
}

json_t *resume_keys(const json_t *records, const char *number)
{
    json_t *keys = json_object();
    size_t i;
    json_t *record;
    json_array_foreach((json_t *)(uintptr_t)records, i, record)
    {
        const char *id = record_text(record, "id");
        char key[KEY_MAX];
        write_key(*id ? id : record_text(record, "name"), record_text(record, "family"),
                  json_integer_value(json_object_get(record, number)), key);
        json_object_set(keys, key, record);
    }
    return keys;
}

const json_t *resume_record(const json_t *keys, const char *name, const char *family,
                            long long number)
{
    char key[KEY_MAX];
    write_key(name, family, number, key);
    return json_object_get(keys, key);
}

bool resume_has(const json_t *keys, const char *name, const char *family, long long number)
{
    return resume_record(keys, name, family, number) != NULL;
}

/* ---- Dates ----------------------------------------------------------------------------------- */

void date_now(char date[DATE_SIZE])
{
    time_t now = time(NULL);
    struct tm utc;
    date[0] = '\0';
    if (gmtime_r(&now, &utc)) strftime(date, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Returns whether the text is a date in that format and no more, and one that the calendar has. */
static bool is_date(const char *text, const char *format)
{
    struct tm said = {.tm_mday = 1};
    const char *end = strptime(text, format, &said);
    if (!end || *end || strlen(text) < strlen("2026")) return false;
    struct tm same = said;
    timegm(&same); /* 31 November becomes 1 December */
    char again[40];
    strftime(again, sizeof again, format, &same);
    return !strcmp(again, text); /* each number in its full width */
}

int date_check(const char *what, const char *text, struct error *e)
{
    static const char *const formats[] = {
        "%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (is_date(text, formats[i])) return 0;
    return fail(e, EXIT_USAGE,
                "%s: '%s': not a date; write it as 2026-11-21 or 2026-11-21T06:00:00Z", what, text);
}
