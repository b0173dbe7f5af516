// SPDX-License-Identifier: MIT
/* A run on its way into an archive, and the two steps that the database takes part in. */
#ifndef ULPLAB_ARCHIVE_ADDITION_H
#define ULPLAB_ARCHIVE_ADDITION_H

#include "publish/archive/archive.h"
#include "publish/db/files.h"

struct packed {
    void *data; /* NULL where the archive is known to have the content */
    size_t bytes;
};

struct addition {
    const struct lab_db *l;
    const char *folder;
    json_t *machine;
    struct kept_files files;
    bool *known;   /* which of the files have their content in the archive already */
    bool vanished; /* one of these went meanwhile */
    struct packed *packed;
    size_t cells; /* of the run, as the archive has it */
    char id[20];
};

/* Finds what of the run is in the archive already. */
int addition_find(struct addition *a, enum archive_added *state, struct error *e);
/* Inserts it as a whole or not at all, unless it is there by now. Where it fails with `vanished` it
 * may be tried again, with no content known. */
int addition_insert(struct addition *a, enum archive_added *state, struct error *e);

#endif
