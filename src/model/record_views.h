/* The records of a text, line by line, as views (model/record_scan.h). */
#ifndef ULPLAB_RECORD_VIEWS_H
#define ULPLAB_RECORD_VIEWS_H

#include "base/error.h"
#include "model/record_scan.h"

struct record_views {
    const char *text, *path; /* path: what messages call it */
    size_t size;
    json_t *kept; /* receives the records that the views of unusual lines point into */
    /* Takes the view of a line, whose other ids are in `also`. Returns 0, or an exit code. */
    int (*take)(void *context, const struct record_view *v, struct error *e);
    void *context;
};

/* Hands over each whole line, asked for these keys. Refuses what record_lines_read() refuses, with
 * the same words. */
int record_views_read(const struct record_views *r, const struct slice *keys, size_t key_count,
                      struct error *e);

#endif
