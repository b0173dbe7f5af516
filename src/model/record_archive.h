// SPDX-License-Identifier: MIT
/* The records of a folder of results as one archive, DIR/records.tar.zst, which git keeps of a run:
 * a small part of the size of the raw files. `tar --zstd -tf` lists it.
 *
 * Which file is read: the files that a run writes belong together. If any of them is in the folder
 * as a raw file, a newer run has written it, and the archive's files of the run are not read.
 * scan.jsonl and instructions.jsonl outlive runs and are decided alone: the raw file if there is
 * one, otherwise the archive's. Files that git keeps as they are (search.jsonl, certificate.jsonl)
 * are never in it.
 *
 * A stranger's archive can do no harm: members are found by their exact name and read into memory,
 * nothing is extracted, and the unpacked size is limited. */
#ifndef ULPLAB_RECORD_ARCHIVE_H
#define ULPLAB_RECORD_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define RECORD_ARCHIVE "records.tar.zst"

/* Returns whether DIR/name is to be read from the archive. */
bool record_is_archived(const char *folder, const char *name);

/* Reads members of the archive, those whose names are not NULL, in one pass. texts, NULL at first,
 * and sizes receive what is there, with a NUL behind; the caller frees, after an error, too. */
int record_archive_texts(const char *folder, const char *const *names, size_t count, char **texts,
                         size_t *sizes, struct error *e);
/* Reads the text of a member, which the caller frees. *text is NULL if the archive has no such
 * member. EXIT_BAD_INPUT if the archive is damaged, holds no records at all, or unpacks to more
 * than 4 GiB (a member: 1 GiB). */
int record_archive_read(const char *folder, const char *name, char **text, size_t *size,
                        struct error *e);

/* Reads DIR/name, raw or archived, whichever is to be read. *text is NULL if there is neither. */
int record_archive_text(const char *folder, const char *name, char **text, size_t *size,
                        struct error *e);

/* Packs the folder's records, including those of an older archive that are still valid. The same
 * records give the same bytes (with the same libzstd): members are sorted by name and have neither
 * times nor owners. `path`: of the archive to write; NULL: the folder's own. EXIT_BAD_INPUT if
 * there are no records, or nowhere to write. */
int record_archive_write(const char *folder, const char *path, struct error *e);

#endif
