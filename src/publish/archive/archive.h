// SPDX-License-Identifier: MIT
/* An archive of runs (docs/archive.md): folders of results in, lists and folders out. */
#ifndef ULPLAB_ARCHIVE_H
#define ULPLAB_ARCHIVE_H

#include "model/lab_db.h"

enum archive_added {
    ADDED,         /* new */
    ADDED_ALREADY, /* the same run with the same records is there */
    ADDED_ANEW,    /* the run is there with fewer records: it went on, and these replace them */
    ADDED_OLDER,   /* the run is there with more records: these are an earlier state of it */
};
struct archive_outcome {
    enum archive_added state;
    char run[20];     /* its id in the archive */
    char machine[64]; /* its slug */
    size_t cells;     /* timed cells, as the archive has them */
    bool cut;         /* the folder's run did not end */
    bool misdated;    /* it says that it began in what was to come when it was added */
};

/* Adds a folder: as a whole, or not at all. Any number of processes may add at a time. */
int archive_add(const struct lab_db *l, const char *folder, struct archive_outcome *outcome,
                struct error *e);

/* Puts the runs that a selector names into temp.chosen(place, run), the oldest first, with what is
 * listed of them in temp.chosen_runs. */
int archive_choose(const struct lab_db *l, const char *selector, struct error *e);

/* Writes the records of a run into a folder, byte for byte as they were added. EXIT_BAD_INPUT where
 * the folder holds results. */
int archive_export(const struct lab_db *l, int64_t run, const char *folder, struct error *e);

#endif
