// SPDX-License-Identifier: MIT
#include "model/record_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record_scan.h"

static const char field[] = "run_id";
enum { END_ROOM = sizeof ",\"run_id\":\"\"}\n" + RUN_ID_SIZE };

const char *const record_run_files[] = {"codegen.jsonl",
                                        "accuracy.jsonl",
                                        "diverge.jsonl",
                                        "samples.jsonl",
                                        "timing.jsonl",
                                        "cases.jsonl",
                                        NULL};

/* record_text() of model/record.h, which uses this module. */
static const char *record_run_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool record_run_writes(const char *name)
{
    const char *const *file = record_run_files;
    while (*file && strcmp(*file, name) != 0) file++;
    return *file != NULL;
}

const char *record_run_of(const json_t *machine)
{
    return json_is_true(json_object_get(machine, "stamped")) ? record_run_text_of(machine, "run")
                                                             : "";
}

bool record_run_is_cut(const json_t *machine)
{
    return *record_run_of(machine) && !*record_run_text_of(machine, "finished");
}

/* ---- Records --------------------------------------------------------------------------------- */

void record_run_stamp(json_t *record, const char *run)
{
    if (!*run) return;
    json_object_del(record, field);
    json_object_set_new(record, field, json_string(run));
}

void record_run_stamp_all(json_t *records, const char *run)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) record_run_stamp(record, run);
}

static const char *record_run_or_none(const char *run)
{
    return *run ? run : "none";
}

int record_run_check(const char *run, const char *path, json_t *records, struct error *e)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        const char *of = record_run_text_of(record, field);
        if (run && strcmp(of, run) != 0)
            return fail(
                e, EXIT_BAD_INPUT,
                "mixed records: %s: record %zu is of run %.20s, machine.json of %.20s; take "
                "the other run's file away, or measure again",
                path, i + 1, record_run_or_none(of), record_run_or_none(run));
        json_object_del(record, field);
    }
    return 0;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Writes the end of a line that has the run's identity, as the lab writes it. */
static size_t line_end(const char *run, char end[END_ROOM])
{
    return (size_t)snprintf(end, END_ROOM, ",\"%s\":\"%.*s\"}\n", field, RUN_ID_SIZE - 1, run);
}

/* Returns the length of the line at `at`, its break included; the text after the last break is a
 * line. */
static size_t line_size(const char *at, const char *stop)
{
    const char *end = memchr(at, '\n', (size_t)(stop - at));
    return (size_t)((end ? end + 1 : stop) - at);
}

static bool all_end_so(const char *text, size_t size, const char *end, size_t length)
{
    const char *stop = text + size;
    for (size_t n; text < stop; text += n) {
        n = line_size(text, stop);
        if (n <= length || memcmp(text + n - length, end, length) != 0) return false;
    }
    return true;
}

static int check_text(const char *run, const char *path, char *text, size_t size, struct error *e)
{
    FILE *in = fmemopen(text, size, "rb");
    if (!in) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", path);
    json_t *records = json_array();
    int code = record_lines_read(in, path, records, e);
    fclose(in);
    if (!code) code = record_run_check(run, path, records, e);
    json_decref(records);
    return code;
}

int record_run_unstamp_text(const char *run, const char *path, char *text, size_t *size,
                            struct error *e)
{
    char end[END_ROOM], *to = text;
    const size_t length = line_end(run, end);
    const bool named = memmem(text, *size, field, sizeof field - 1) != NULL;
    if (!*size || (!*run && !named)) return 0;
    if (!*run || !all_end_so(text, *size, end, length))
        return check_text(run, path, text, *size, e);
    const char *stop = text + *size;
    for (const char *at = text; at < stop;) {
        const size_t n = line_size(at, stop), kept = n - length;
        memmove(to, at, kept);
        memcpy(to + kept, "}\n", 2);
        to += kept + 2;
        at += n;
    }
    *size = (size_t)(to - text);
    return 0;
}

char *record_run_stamp_text(const char *run, const char *text, size_t size, size_t *stamped)
{
    char end[END_ROOM], *whole = NULL;
    const size_t length = line_end(run, end);
    FILE *out = memory_text(&whole, stamped);
    for (const char *at = text, *stop = text + size; at < stop;) {
        const size_t n = line_size(at, stop);
        const bool plain =
            n > 3 && !memcmp(at + n - 2, "}\n", 2) && !memmem(at, n, field, sizeof field - 1);
        fwrite(at, 1, plain ? n - 2 : n, out);
        if (plain) fwrite(end, 1, length, out);
        at += n;
    }
    memory_text_close(out);
    return whole;
}
