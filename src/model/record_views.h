// SPDX-License-Identifier: MIT
/* The records of a text, line by line, as views (model/record_scan.h). */
#ifndef ULPLAB_RECORD_VIEWS_H
#define ULPLAB_RECORD_VIEWS_H

#include "base/error.h"
#include "model/record_scan.h"

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
