/* Variants and shapes have numbers in an archive; these look them up, and give new ones. */
#ifndef ULPLAB_ARCHIVE_NAMES_H
#define ULPLAB_ARCHIVE_NAMES_H

#include "model/lab_db.h"
#include "publish/load/axes.h"

struct archive_names {
    const struct lab_db *l;
    sqlite3_stmt *add_variant, *find_variant, *add_shape, *find_shape;
};
int names_open(struct archive_names *n, const struct lab_db *l, struct error *e);
void names_close(struct archive_names *n);

int names_variant(struct archive_names *n, const struct axes *a, int64_t *id, struct error *e);

struct archive_shape {
    size_t rows, n, threads;
    const char *family;
};
int names_shape(struct archive_names *n, const struct archive_shape *s, int64_t *id,
                struct error *e);

#endif
