/* Variants and shapes have numbers in an archive; these look them up, and give new ones. */
#ifndef ULPLAB_ARCHIVE_NAMES_H
#define ULPLAB_ARCHIVE_NAMES_H

#include "model/lab_db.h"
#include "publish/archive/variants.h"

struct archive_shape {
    size_t rows, n, threads;
    struct slice family;
};
enum { SHAPES_KEPT = 256 };
struct archive_names {
    const struct lab_db *l;
    sqlite3_stmt *add_variant, *find_variant, *add_shape, *find_shape;
    struct {
        struct archive_shape shape;
        int64_t id;      /* 0: none */
    } kept[SHAPES_KEPT]; /* the last ones, whose families' texts must stay */
};
int names_open(struct archive_names *n, const struct lab_db *l, struct error *e);
void names_close(struct archive_names *n);

/* It notes the number in the variant. */
int names_variant(struct archive_names *n, struct named_variant *v, int64_t *id, struct error *e);

int names_shape(struct archive_names *n, const struct archive_shape *s, int64_t *id,
                struct error *e);

#endif
