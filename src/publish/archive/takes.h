/* One record into rows, file by file: which values of it are asked for, and what becomes of them.
 */
#ifndef ULPLAB_ARCHIVE_TAKES_H
#define ULPLAB_ARCHIVE_TAKES_H

#include "base/error.h"
#include "publish/archive/rows.h"

/* The file that is being read. */
struct row_reading {
    struct rows *rows;
    const char *folder, *name;
    size_t row; /* records so far, those that were folded counted, too */
};

struct row_source {
    const char *name;
    const struct slice *keys;
    size_t key_count;
    /* context: a struct row_reading. EXIT_BAD_INPUT where a record must name a variant, and does
     * not. */
    int (*take)(void *context, const struct record_view *v, struct error *e);
    bool always; /* its figures are the run's own, not the file's */
};
enum { ROW_SOURCES = 9 };
/* Those with figures first: accuracy, codegen, timing, scan, cases. */
extern const struct row_source row_sources[ROW_SOURCES];

#endif
