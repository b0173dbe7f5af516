/* The files of a folder of results that an archive keeps: all that cannot be made again from the
 * others. Reports and summaries can, and samples.jsonl is only for --resume. */
#ifndef ULPLAB_ARCHIVE_FILES_H
#define ULPLAB_ARCHIVE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { FILE_NAME_MAX = 120, HASH_MAX = 36 };

struct kept_file {
    char name[FILE_NAME_MAX], hash[HASH_MAX];
    char *text;
    size_t size;
};
struct kept_files {
    struct kept_file *items;
    size_t count, bytes;
    char content[HASH_MAX]; /* a hash of all names and contents */
};

/* run: the identity that the records have (model/record_run.h), which is taken off them.
 * EXIT_BAD_INPUT where one is of another run. */
int kept_files_read(const char *folder, const char *run, struct kept_files *f, struct error *e);
void kept_files_free(struct kept_files *f);

/* May a file of this name be written into a folder? Names of an archive from elsewhere could lead
 * out of it. */
bool kept_file_name_is_safe(const char *name);

/* 128 bits of FNV-1a in two halves, of what is added piece by piece; as 32 hexadecimal digits. For
 * contents that nobody forges. */
struct kept_digest {
    uint64_t a, b;
};
struct kept_digest kept_digest_begin(void);
void kept_digest_add(struct kept_digest *d, const char *text, size_t size);
void kept_digest_text(const struct kept_digest *d, char hash[HASH_MAX]);
/* All at once. */
void kept_hash(const char *text, size_t size, char hash[HASH_MAX]);

#endif
