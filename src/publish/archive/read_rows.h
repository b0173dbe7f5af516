/* The records of a run into rows. */
#ifndef ULPLAB_ARCHIVE_READ_ROWS_H
#define ULPLAB_ARCHIVE_READ_ROWS_H

#include "publish/archive/rows.h"

/* Reads the files, which must outlive the rows. What a file says whose figures an archive has
 * already (`known`, one for each) need not be read again, unless the run is of an earlier version.
 * EXIT_BAD_INPUT on anything malformed. */
int rows_read(struct rows *r, const char *folder, const struct kept_files *files, const bool *known,
              struct error *e);
void rows_free(struct rows *r);

#endif
