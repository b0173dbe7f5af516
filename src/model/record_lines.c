// SPDX-License-Identifier: MIT
#include "model/record_lines.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* ---- Lines of at most 1 MiB ------------------------------------------------------------------ */

/* Lines are read here, because getline() would take memory for a line of any length before anyone
 * could refuse it. */

enum { FIRST_ROOM = 1 << 16 };

struct lines {
    FILE *in;
    char *text; /* the bytes read and not yet returned: from begin to end */
    size_t room, begin, end;
};

enum found { FOUND_LINE, FOUND_END, FOUND_TOO_LONG, FOUND_ERROR };

static enum found read_more(struct lines *l)
{
    size_t rest = l->end - l->begin;
    memmove(l->text, l->text + l->begin, rest);
    l->begin = 0;
    l->end = rest;
    if (rest == RECORD_LINE_MAX) return FOUND_TOO_LONG;
    if (rest == l->room) l->text = memory_grow(l->text, l->room *= 2);
    size_t count = fread(l->text + rest, 1, l->room - rest, l->in);
    l->end += count;
    if (count) return FOUND_LINE;
    return ferror(l->in) ? FOUND_ERROR : FOUND_END;
}

/* Returns the next line, with its line break; valid until the next call. */
static enum found next_line(struct lines *l, char **line, size_t *length)
{
    for (;;) {
        *line = l->text + l->begin;
        char *end = memchr(*line, '\n', l->end - l->begin);
        if (end) {
            *length = (size_t)(end - *line) + 1;
            l->begin += *length;
            return FOUND_LINE;
        }
        enum found found = read_more(l);
        if (found != FOUND_LINE) return found;
    }
}

/* ---- Control characters ---------------------------------------------------------------------- */

static bool is_control(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Returns the length of the escape of a control character (\n, \u001b) at `at`; 0 for another
 * escape. */
static size_t control_escape(const char *at, size_t left)
{
    unsigned code;
    char digits[5] = "";
    if (left >= 2 && memchr("bfnrt", at[1], 5)) return 2;
    if (left < 6 || at[1] != 'u') return 0;
    memcpy(digits, at + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 && sscanf(digits, "%x", &code) == 1 &&
                   is_control(code)
               ? 6
               : 0;
}

void record_blank_controls(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i],
                      next = i + 1 < size ? (unsigned char)text[i + 1] : 0;
        size_t blank = c == '\\' ? control_escape(text + i, size - i)
                       : c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2
                                                                  : c == 0x7f;
        memset(text + i, ' ', blank);
        i += blank       ? blank
             : c == '\\' ? 2
                         : 1; /* after a backslash, a second one begins no escape */
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

static const char malformed[] = "bad record: %s:%d: %s; measure again, or remove the line";

/* The limit of unfolding, in values: each is a copy's entry for a key. A line of 1 MiB could stand
 * for 10^10 of them. */
static const size_t unfolded_max = (size_t)1 << 26;

/* Appends the record, unfolded, and takes it over. */
static void append_unfolded(json_t *records, json_t *record)
{
    json_t *also = json_incref(json_object_get(record, "also")), *id;
    size_t i;
    json_object_del(record, "also");
    json_array_append_new(records, record);
    json_array_foreach(also, i, id)
    {
        json_t *copy = json_copy(record);
        json_object_set(copy, "id", id);
        json_array_append_new(records, copy);
    }
    json_decref(also);
}

int record_line_unfolds(size_t also, size_t size, size_t *unfolded, const char *path, int number,
                        struct error *e)
{
    *unfolded += also * (size + 1);
    if (*unfolded <= unfolded_max) return 0;
    return fail(e, EXIT_BAD_INPUT, malformed, path, number,
                "\"also\" unfolds into more than 2^26 values");
}

int record_line_too_long(const char *path, int number, struct error *e)
{
    return fail(e, EXIT_BAD_INPUT, malformed, path, number, "longer than 1 MiB");
}

int record_line_parse(char *line, size_t length, const char *path, int number, json_t **record,
                      struct error *e)
{
    json_error_t why;
    record_blank_controls(line, length);
    *record = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    if (!*record) return fail(e, EXIT_BAD_INPUT, malformed, path, number, why.text);
    if (json_is_object(*record)) return 0;
    json_decref(*record);
    *record = NULL;
    return fail(e, EXIT_BAD_INPUT, malformed, path, number, "not an object");
}

static int read_record(char *line, size_t length, const char *path, int number, json_t *records,
                       size_t *unfolded, struct error *e)
{
    json_t *record;
    int code = record_line_parse(line, length, path, number, &record, e);
    if (code) return code;
    const json_t *also = json_object_get(record, "also");
    code = record_line_unfolds(json_array_size(also), json_object_size(record) - (also != NULL),
                               unfolded, path, number, e);
    if (code)
        json_decref(record);
    else
        append_unfolded(records, record);
    return code;
}

int record_lines_read(FILE *in, const char *path, json_t *records, struct error *e)
{
    struct lines l = {.in = in, .text = memory_new(FIRST_ROOM), .room = FIRST_ROOM};
    char *line;
    size_t length = 0, unfolded = 0;
    enum found found = FOUND_LINE;
    int code = 0;
    for (int number = 1; !code && found == FOUND_LINE; number++) {
        found = next_line(&l, &line, &length);
        if (found == FOUND_LINE)
            code = read_record(line, length, path, number, records, &unfolded, e);
        else if (found == FOUND_TOO_LONG)
            code = record_line_too_long(path, number, e);
        else if (found == FOUND_ERROR)
            code = file_cannot(e, "read", path, "see whether its disk works, then try again");
    }
    free(l.text);
    return code;
}
