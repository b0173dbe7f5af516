// SPDX-License-Identifier: MIT
/* Cuts a line of records into the values that are asked for, in place, without a tree of
 * allocations: for the readers of all records of hundreds of runs (publish/archive). It reads what
 * ulplab writes; anything unusual is left to the JSON parser, which decides. */
#ifndef ULPLAB_RECORD_SCAN_H
#define ULPLAB_RECORD_SCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { RECORD_LINE_MAX = 1 << 20 };
/* Appends the record of each whole line of a file to `records`; a folded row is unfolded again. A
 * cut last line is left out. path: the file's name in messages. EXIT_BAD_INPUT with path:line if a
 * line is longer than 1 MiB, nested deeper than 2048 values, no object or otherwise malformed, or
 * if rows unfold into more than 2^26 values: a stranger's file cannot take all memory. */
int record_lines_read(FILE *in, const char *path, json_t *records, struct error *e);
/* record_lines_read() of a text, which is changed. */
int record_text_read(char *text, size_t size, const char *path, json_t *records, struct error *e);
/* Parses the record of one line, which is changed. */
int record_line_parse(char *line, size_t length, const char *path, int number, json_t **record,
                      struct error *e);

/* Replaces control characters in strings of JSON text, escaped or not, by blanks, so that printing
 * a stranger's records cannot command a terminal. The lab writes none. */
void record_blank_controls(char *text, size_t size);

/* A part of a text that the caller owns. */
struct slice {
    const char *at;
    size_t size;
};
#define SLICE(text)                                                                                \
    (struct slice)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
bool slice_is(struct slice s, const char *text);
static inline bool slice_same(struct slice a, struct slice b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

enum { SCAN_FIELDS_MAX = 96 };
enum scan_kind { SCAN_NONE, SCAN_FALSE, SCAN_TRUE, SCAN_TEXT, SCAN_REAL, SCAN_INTEGER, SCAN_JSON };
struct scan_field {
    enum scan_kind kind; /* SCAN_NONE: it is missing, or null */
    struct slice text;   /* "" if it is no text */
    struct slice json;   /* an object or an array; "" if it is neither */
    double number;       /* NAN if it is no number */
};
struct record_view {
    const struct slice
        *keys; /* the keys that are asked for: key_count of them, at most SCAN_FIELDS_MAX */
    size_t key_count;
    struct scan_field fields[SCAN_FIELDS_MAX]; /* in the order of the keys */
    struct slice *also;                 /* the other ids of a folded record (model/record.h) */
    size_t also_count, also_room, size; /* size: the record's fields without "also" */
    struct slice line;                  /* the whole record; "" for a parsed one */
    json_t *texts;                      /* what `json` of a parsed record's fields points into */
};

/* Fills the view from a line, which its texts point into. Returns false if it is not certain that
 * the line is one object that the parser accepts, with those values. That is the case for an escape
 * or a byte beyond ASCII in a text that is asked for, many or equal keys, a very long number, and
 * for everything that is no JSON. */
bool record_scan(const char *line, size_t length, struct record_view *v);
/* record_scan() for a parsed record, which must live as long as the view's texts are used; `json`
 * and `line` last until the view is filled again. */
void record_view_of(const json_t *record, struct record_view *v);
void record_view_free(struct record_view *v);

/* The records of a text, line by line, as views. */
struct record_views {
    const char *text, *path; /* path: the text's name in messages */
    size_t size;
    json_t *kept; /* receives the records to which the views of unusual lines point */
    /* Takes the view of a line, whose other ids are in `also`. Returns 0, or an exit code. */
    int (*take)(void *context, const struct record_view *v, struct error *e);
    void *context;
};

/* Hands over the view of each whole line, with these keys. Refuses what record_lines_read()
 * refuses, with the same words. */
int record_views_read(const struct record_views *r, const struct slice *keys, size_t key_count,
                      struct error *e);

#endif
