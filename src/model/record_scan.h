// SPDX-License-Identifier: MIT
/* Cuts a line of records into the values that are asked for, in place, without a tree of
 * allocations: for the readers of all records of hundreds of runs (publish/archive). It reads what
 * ulplab writes; anything unusual is left to the JSON parser, which decides. */
#ifndef ULPLAB_RECORD_SCAN_H
#define ULPLAB_RECORD_SCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/record_tokens.h"

enum { SCAN_FIELDS_MAX = 96 };
enum scan_kind { SCAN_NONE, SCAN_FALSE, SCAN_TRUE, SCAN_TEXT, SCAN_REAL, SCAN_INTEGER, SCAN_JSON };
struct scan_field {
    enum scan_kind kind; /* SCAN_NONE: it is missing, or null */
    struct slice text;   /* "" if it is no text */
    struct slice json;   /* an object or an array; "" if it is neither */
    double number;       /* NAN if it is no number */
    bool is_true, is_integer;
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

/* record_count() of model/record.h, for a field. */
size_t record_view_count(const struct scan_field *f);

#endif
