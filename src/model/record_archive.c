// SPDX-License-Identifier: MIT
#include "model/record_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/record.h"

enum { PATH_ROOM = 1200, BLOCK_BYTES = 1 << 16 };

static const la_int64_t member_max = (la_int64_t)1 << 30, archive_max = (la_int64_t)1 << 32;

/* ---- Raw files or the archive ---------------------------------------------------------------- */

static bool record_archive_is_there(const char *folder, const char *name)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

bool record_is_archived(const char *folder, const char *name)
{
    const struct result_file *file = result_file_find(name);
    if (!file || !file->packed || !record_archive_is_there(folder, RECORD_ARCHIVE)) return false;
    if (file->outlives) return !record_archive_is_there(folder, name);
    for (const struct result_file *f = result_files; f->name; f++)
        if (f->packed && !f->outlives && record_archive_is_there(folder, f->name)) return false;
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reader {
    struct archive *in;
    FILE *file;
    char path[PATH_ROOM];
    la_int64_t bytes; /* of all members so far */
    size_t known;     /* members that are records */
};

static int damaged(const struct reader *r, const char *why, struct error *e)
{
    return fail(e, EXIT_BAD_INPUT,
                "bad archive: %s: %s; restore it from git, or remove it and run 'ulplab run'",
                r->path, why ? why : "unreadable");
}

/* Fails without calling the archive damaged if the cause is memory or the disk, so that nobody
 * removes it. */
static int unreadable(const struct reader *r, const char *why, struct error *e)
{
    int number = archive_errno(r->in);
    bool memory = number == ENOMEM || (why && strstr(why, "llocat"));
    if (memory) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", r->path);
    bool outside = number == EIO || number == EMFILE || number == ENFILE || number == EACCES;
    return outside ? fail(e, EXIT_BAD_INPUT, "cannot read: %s: %s; try again", r->path,
                          strerror(number))
                   : damaged(r, why, e);
}

static int open_reader(struct reader *r, const char *folder, struct error *e)
{
    *r = (struct reader){.in = archive_read_new()};
    snprintf(r->path, sizeof r->path, "%s/" RECORD_ARCHIVE, folder);
    if (!r->in) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", r->path);
    struct stat st;
    r->file = file_open(r->path);
    if (!r->file) return file_cannot(e, "read", r->path, "try again");
    if (fstat(fileno(r->file), &st) != 0 || !S_ISREG(st.st_mode))
        return fail(e, EXIT_BAD_INPUT, "bad archive: %s: not a file; remove it", r->path);
    if (archive_read_support_format_tar(r->in) != ARCHIVE_OK ||
        archive_read_support_filter_zstd(r->in) != ARCHIVE_OK ||
        archive_read_open_fd(r->in, fileno(r->file), BLOCK_BYTES) != ARCHIVE_OK)
        return unreadable(r, archive_error_string(r->in), e);
    return 0;
}

/* Goes to the next member; *entry is NULL behind the last. The size that the entry states is
 * checked before anything of that size is allocated or skipped. */
static int next_member(struct reader *r, struct archive_entry **entry, struct error *e)
{
    int state = archive_read_next_header(r->in, entry);
    if (state == ARCHIVE_EOF) {
        *entry = NULL;
        return r->known ? 0 : damaged(r, "no records in it", e);
    }
    if (state != ARCHIVE_OK) return unreadable(r, archive_error_string(r->in), e);
    la_int64_t size = archive_entry_size(*entry);
    if (size < 0 || size > member_max) return damaged(r, "a member of more than 1 GiB", e);
    r->bytes += size;
    if (r->bytes > archive_max) return damaged(r, "it unpacks to more than 4 GiB", e);
    return 0;
}

static int read_member(struct reader *r, struct archive_entry *entry, char **text, size_t *size,
                       struct error *e)
{
    size_t wanted = (size_t)archive_entry_size(entry), done = 0;
    char *buffer = malloc(wanted + 1);
    if (!buffer)
        return fail(e, EXIT_PARTIAL, "out of memory: %s: %zu bytes; free some", r->path, wanted);
    while (done < wanted) {
        la_ssize_t n = archive_read_data(r->in, buffer + done, wanted - done);
        if (n <= 0) {
            free(buffer);
            return damaged(r, n < 0 ? archive_error_string(r->in) : "a member is cut short", e);
        }
        done += (size_t)n;
    }
    buffer[done] = '\0';
    *text = buffer;
    *size = done;
    return 0;
}

int record_archive_texts(const char *folder, const char *const *names, size_t count, char **texts,
                         size_t *sizes, struct error *e)
{
    struct reader r;
    struct archive_entry *entry = NULL;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) left += names[i] != NULL;
    if (!left) return 0;
    int code = open_reader(&r, folder, e);
    if (!code) code = next_member(&r, &entry, e);
    while (!code && entry && left) {
        const char *found = archive_entry_pathname(entry);
        const struct result_file *file = found ? result_file_find(found) : NULL;
        bool record = file && file->packed && archive_entry_filetype(entry) == AE_IFREG;
        size_t i = record ? 0 : count;
        r.known += record;
        while (i < count && (!names[i] || texts[i] || strcmp(names[i], found) != 0)) i++;
        if (i < count) code = read_member(&r, entry, &texts[i], &sizes[i], e);
        left -= i < count;
        if (!code && left) code = next_member(&r, &entry, e);
    }
    if (r.in) archive_read_free(r.in);
    if (r.file) fclose(r.file);
    return code;
}

int record_archive_read(const char *folder, const char *name, char **text, size_t *size,
                        struct error *e)
{
    *text = NULL;
    *size = 0;
    return record_archive_texts(folder, &name, 1, text, size, e);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int cannot_write(const char *path, const char *why, struct error *e)
{
    return fail(e, EXIT_BAD_INPUT, "cannot write: %s: %s; free some space, or choose another place",
                path, why ? why : "no reason given");
}

int record_archive_text(const char *folder, const char *name, char **text, size_t *size,
                        struct error *e)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return record_is_archived(folder, name) ? record_archive_read(folder, name, text, size, e)
                                            : file_read(path, member_max, text, size, e);
}

static int add_member(struct archive *out, const char *path, const char *name, const char *text,
                      size_t size, struct error *e)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", path);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 0, 0);
    bool good = archive_write_header(out, entry) == ARCHIVE_OK &&
                archive_write_data(out, text, size) == (la_ssize_t)size;
    archive_entry_free(entry);
    return good ? 0 : cannot_write(path, archive_error_string(out), e);
}

static int add_members(struct archive *out, const char *folder, const char *path, struct error *e)
{
    size_t added = 0;
    int code = 0;
    for (const struct result_file *f = result_files; f->name && !code; f++) {
        if (!f->packed) continue;
        char *text = NULL;
        size_t size = 0;
        code = record_archive_text(folder, f->name, &text, &size, e);
        if (!code && text) code = add_member(out, path, f->name, text, size, e);
        added += text != NULL;
        free(text);
    }
    if (!code && !added)
        return fail(e, EXIT_BAD_INPUT, "no records: %s: nothing to pack; run 'ulplab run' first",
                    folder);
    return code;
}

static la_ssize_t write_to_file(struct archive *out, void *file, const void *data, size_t size)
{
    (void)out;
    return fwrite(data, 1, size, file) == size ? (la_ssize_t)size : -1;
}

/* Packs the members. Without times and owners no field of ustar varies between machines. The last
 * block is not padded: zstd's own program refuses bytes after a frame. */
static int pack_members(FILE *file, const char *folder, const char *path, struct error *e)
{
    struct archive *out = archive_write_new();
    if (!out) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", path);
    bool good =
        archive_write_set_format_ustar(out) == ARCHIVE_OK &&
        archive_write_add_filter_zstd(out) == ARCHIVE_OK &&
        archive_write_set_filter_option(out, "zstd", "compression-level", "19") == ARCHIVE_OK &&
        archive_write_set_bytes_in_last_block(out, 1) == ARCHIVE_OK &&
        archive_write_open(out, file, NULL, write_to_file, NULL) == ARCHIVE_OK;
    int code =
        good ? add_members(out, folder, path, e) : cannot_write(path, archive_error_string(out), e);
    if (!code && archive_write_close(out) != ARCHIVE_OK)
        code = cannot_write(path, archive_error_string(out), e);
    archive_write_free(out);
    return code;
}

int record_archive_write(const char *folder, const char *path, struct error *e)
{
    char own[PATH_ROOM], *bytes = NULL;
    size_t size = 0;
    snprintf(own, sizeof own, "%s/" RECORD_ARCHIVE, folder);
    FILE *file = memory_text(&bytes, &size);
    int code = pack_members(file, folder, path ? path : own, e);
    memory_text_close(file);
    if (!code) code = file_write_atomic(path ? path : own, bytes, size, e);
    free(bytes);
    return code;
}
