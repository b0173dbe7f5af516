/* The variants that a run's records name, each once: tens of thousands of ids stand for some
 * thousand variants, whose axes are cut apart once. */
#ifndef ULPLAB_ARCHIVE_VARIANTS_H
#define ULPLAB_ARCHIVE_VARIANTS_H

#include <stddef.h>
#include <stdint.h>

#include "model/record_scan.h"
#include "publish/load/axes.h"

struct named_variant {
    struct axes axes;
    int64_t number; /* in the archive; 0: not looked up yet */
};
struct variants {
    struct named_variant *items;
    size_t count, room;
    struct spelling *spellings; /* of ids, whatever follows the policy: a table of hashes */
    size_t spelling_count, spelling_room;
};

/* Its place in `items`; SIZE_MAX where `id` is no variant's (axes_parse()). The id's text
 * must outlive the table. */
size_t variants_place(struct variants *v, struct slice id);
void variants_free(struct variants *v);

#endif
