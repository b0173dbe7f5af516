// SPDX-License-Identifier: MIT
/* An archive of runs (docs/archive.md): folders of results in, lists and folders out. */
#ifndef ULPLAB_ARCHIVE_H
#define ULPLAB_ARCHIVE_H

#include "model/lab_db.h"

enum archive_added {
    ADDED,         /* new */
    ADDED_ALREADY, /* the archive has the run with the same records */
    ADDED_ANEW,    /* the archive had the run with fewer records, which these replace */
    ADDED_OLDER,   /* the archive has the run with more records: these are an earlier state */
};
struct archive_outcome {
    enum archive_added state;
    char run[20];     /* its id in the archive */
    char machine[64]; /* its slug */
    size_t cells;     /* timed cells, as the archive has them */
    bool cut;         /* the folder's run did not end */
    bool misdated;    /* its start lay in the future when it was added */
};

/* Adds a folder completely or not at all. Any number of processes may add at the same time. */
int archive_add(const struct lab_db *l, const char *folder, struct archive_outcome *outcome,
                struct error *e);

/* Puts the runs that a selector names into temp.chosen(place, run), the oldest first, and their
 * properties into temp.chosen_runs. */
int archive_choose(const struct lab_db *l, const char *selector, struct error *e);

/* Writes the records of a run into a folder, byte for byte as they were added. EXIT_BAD_INPUT where
 * the folder holds results. */
int archive_export(const struct lab_db *l, int64_t run, const char *folder, struct error *e);

#endif
