// SPDX-License-Identifier: MIT
#include "model/record_views.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record_lines.h"

/* Parses a line that the scanner leaves to the parser. */
static int record_views_parse(const struct record_views *r, const char *line, size_t length,
                              int number, struct record_view *v, struct error *e)
{
    json_t *record;
    char *copy = memcpy(memory_new(length), line, length);
    int code = record_line_parse(copy, length, r->path, number, &record, e);
    free(copy);
    if (code) return code;
    json_array_append_new(r->kept, record);
    record_view_of(record, v);
    v->line = (struct slice){line, length};
    return 0;
}

static int record_views_read_line(const struct record_views *r, const char *line, size_t length,
                                  int number, struct record_view *v, size_t *unfolded,
                                  struct error *e)
{
    int code = record_scan(line, length, v) ? 0 : record_views_parse(r, line, length, number, v, e);
    if (!code) code = record_line_unfolds(v->also_count, v->size, unfolded, r->path, number, e);
    return code ? code : r->take(r->context, v, e);
}

int record_views_read(const struct record_views *r, const struct slice *keys, size_t key_count,
                      struct error *e)
{
    struct record_view v = {.keys = keys, .key_count = key_count};
    const char *line = r->text, *const end = r->text + r->size;
    size_t unfolded = 0;
    int code = 0;
    for (int number = 1; !code && line < end; number++) {
        const size_t left = (size_t)(end - line);
        const char *stop = memchr(line, '\n', left < RECORD_LINE_MAX ? left : RECORD_LINE_MAX);
        if (!stop && left < RECORD_LINE_MAX) break; /* a cut last line */
        if (stop)
            code = record_views_read_line(r, line, (size_t)(stop - line) + 1, number, &v, &unfolded,
                                          e);
        else
            code = record_line_too_long(r->path, number, e);
        if (stop) line = stop + 1;
    }
    record_view_free(&v);
    return code;
}
