// SPDX-License-Identifier: MIT
/* The files of a run that an archive keeps: those that cannot be regenerated. Reports and summaries
 * can, and samples.jsonl is only for --resume. */
#ifndef ULPLAB_DB_FILES_H
#define ULPLAB_DB_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { FILE_NAME_MAX = 120, HASH_MAX = 36 };

struct kept_file {
    char name[FILE_NAME_MAX], hash[HASH_MAX];
    char *text;
    size_t size;
    void *data; /* packed, for an archive's file; NULL in memory, and where it has the content */
    size_t data_size;
};
struct kept_files {
    struct kept_file *items;
    size_t count, bytes;
    char content[HASH_MAX]; /* a hash of all names and contents */
};

enum kept { KEPT_ALL, KEPT_RECORDS /* without hashes, and without adversarial/ */ };
/* run: the identity that the records have (model/record.h), which is taken off them.
 * EXIT_BAD_INPUT where one is of another run. */
int kept_files_read(const char *folder, const char *run, enum kept what, struct kept_files *f,
                    struct error *e);
void kept_files_free(struct kept_files *f);
/* Adds a file, and takes over its text. */
void kept_files_add(struct kept_files *f, const char *name, char *text, size_t size);

/* Returns whether a file of this name may be written into a folder. Names from a foreign archive
 * could lead out of the folder. */
bool kept_file_name_is_safe(const char *name);

#endif
