// SPDX-License-Identifier: MIT
#include "model/record_archive.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/file.h"
#include "base/memory.h"

/* The members, sorted by name, which is the order in the archive. */
static const struct member {
    const char *name;
    bool outlives_runs;
} members[] = {{"accuracy.jsonl", false},    {"cases.jsonl", false}, {"codegen.jsonl", false},
               {"diverge.jsonl", false},     {"flags.jsonl", true},  {"instructions.jsonl", true},
               {"log_softmax.jsonl", false}, {"scan.jsonl", true},   {"timing.jsonl", false}};
enum { MEMBERS = sizeof members / sizeof *members, PATH_ROOM = 1200 };

static const uint64_t member_max = (uint64_t)1 << 30, archive_max = (uint64_t)1 << 32;

static const struct member *find_member(const char *name)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (!strcmp(members[i].name, name)) return &members[i];
    return NULL;
}

/* ---- Raw files or the archive ---------------------------------------------------------------- */

static bool record_archive_is_there(const char *folder, const char *name)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static bool has_raw_run(const char *folder)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (!members[i].outlives_runs && record_archive_is_there(folder, members[i].name))
            return true;
    return false;
}

bool record_is_archived(const char *folder, const char *name)
{
    const struct member *m = find_member(name);
    if (!m || !record_archive_is_there(folder, RECORD_ARCHIVE)) return false;
    return m->outlives_runs ? !record_archive_is_there(folder, name) : !has_raw_run(folder);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A member's header of ustar, padded to a block of its own. Numbers are octal digits in ASCII.
 * Source: POSIX.1-2017, pax, "ustar Interchange Format". */
struct ustar {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6],
        version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct ustar) == 512, "a block of ustar");

/* Returns the sum of the header's bytes, with blanks in place of the sum itself. */
static unsigned sum_of(const struct ustar *h)
{
    struct ustar copy = *h;
    unsigned sum = 0;
    memset(copy.sum, ' ', sizeof copy.sum);
    for (size_t i = 0; i < sizeof copy; i++) sum += ((const unsigned char *)&copy)[i];
    return sum;
}

/* Returns the number in a field; UINT64_MAX where it has anything but octal digits. */
static uint64_t octal(const char *field, size_t size)
{
    uint64_t number = 0;
    size_t i = 0;
    while (i < size && field[i] == ' ') i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        number = 8 * number + (uint64_t)(field[i] - '0');
    return i < size && field[i] && field[i] != ' ' ? UINT64_MAX : number;
}

struct reader {
    ZSTD_DStream *zstd;
    FILE *file;
    char path[PATH_ROOM];
    unsigned char block[1 << 16];
    ZSTD_inBuffer in;
    size_t wanted;  /* 0 behind the end of a frame */
    uint64_t bytes; /* of all members so far */
    size_t known;   /* members that are records */
    bool ended;
};

static int damaged(const struct reader *r, const char *why, struct error *e)
{
    return fail(e, EXIT_BAD_INPUT,
                "bad archive: %s: %s; restore it from git, or remove it and run 'ulplab run'",
                r->path, why);
}

static int no_memory(const struct reader *r, struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", r->path);
}

static int open_reader(struct reader *r, const char *folder, struct error *e)
{
    struct stat st;
    snprintf(r->path, sizeof r->path, "%s/" RECORD_ARCHIVE, folder);
    r->zstd = ZSTD_createDStream();
    r->in.src = r->block;
    if (!r->zstd) return no_memory(r, e);
    r->file = file_open(r->path);
    if (!r->file) return file_cannot(e, "read", r->path, "try again");
    if (fstat(fileno(r->file), &st) != 0 || !S_ISREG(st.st_mode))
        return fail(e, EXIT_BAD_INPUT, "bad archive: %s: not a file; remove it", r->path);
    return 0;
}

/* Unpacks `size` bytes, or fewer where the archive ends, which *done says. If memory or the disk is
 * at fault the archive is not called damaged: nobody should remove it. */
static int record_archive_unpack(struct reader *r, void *to, size_t size, size_t *done,
                                 struct error *e)
{
    ZSTD_outBuffer out = {to, size, 0};
    while (out.pos < size) {
        const size_t from = r->in.pos, had = out.pos,
                     wanted = ZSTD_decompressStream(r->zstd, &out, &r->in);
        if (ZSTD_getErrorCode(wanted) == ZSTD_error_memory_allocation) return no_memory(r, e);
        if (ZSTD_isError(wanted)) return damaged(r, ZSTD_getErrorName(wanted), e);
        if (r->in.pos != from || out.pos != had) r->wanted = wanted;
        if (r->in.pos != from || out.pos != had || r->in.pos < r->in.size) continue;
        r->in.pos = 0;
        r->in.size = fread(r->block, 1, sizeof r->block, r->file);
        if (ferror(r->file)) return file_cannot(e, "read", r->path, "try again");
        if (!r->in.size) break;
    }
    *done = out.pos;
    return out.pos < size && r->wanted ? damaged(r, "it is cut short", e) : 0;
}

/* Skips the padding that fills a member of `size` bytes up to whole blocks, and `more` bytes. */
static int skip(struct reader *r, size_t size, size_t more, struct error *e)
{
    char none[1 << 14];
    int code = 0;
    more += -size % sizeof(struct ustar);
    for (size_t done = 1; more && done && !code; more -= done)
        code = record_archive_unpack(r, none, more < sizeof none ? more : sizeof none, &done, e);
    return !code && more ? damaged(r, "a member is cut short", e) : code;
}

/* Goes to the next member; r->ended tells that there is none. The size that the header states is
 * checked before anything of that size is allocated or skipped. */
static int next_member(struct reader *r, struct ustar *h, size_t *size, struct error *e)
{
    size_t done = 0;
    int code = record_archive_unpack(r, h, sizeof *h, &done, e);
    if (code) return code;
    r->ended = !done || sum_of(h) == 8 * ' '; /* a block of zeros */
    if (r->ended) return r->known ? 0 : damaged(r, "no records in it", e);
    if (done < sizeof *h || octal(h->sum, sizeof h->sum) != sum_of(h))
        return damaged(r, "a header is no header of tar", e);
    const uint64_t bytes = octal(h->size, sizeof h->size);
    if (bytes > member_max) return damaged(r, "a member of more than 1 GiB", e);
    r->bytes += bytes;
    if (r->bytes > archive_max) return damaged(r, "it unpacks to more than 4 GiB", e);
    *size = bytes;
    return 0;
}

static int read_member(struct reader *r, size_t size, char **text, struct error *e)
{
    size_t done = 0;
    char *buffer = malloc(size + 1);
    if (!buffer)
        return fail(e, EXIT_PARTIAL, "out of memory: %s: %zu bytes; free some", r->path, size);
    int code = record_archive_unpack(r, buffer, size, &done, e);
    if (!code && done < size) code = damaged(r, "a member is cut short", e);
    if (code) {
        free(buffer);
        return code;
    }
    buffer[size] = '\0';
    *text = buffer;
    return 0;
}

int record_archive_texts(const char *folder, const char *const *names, size_t count, char **texts,
                         size_t *sizes, struct error *e)
{
    size_t left = 0, size;
    struct ustar h;
    for (size_t i = 0; i < count; i++) left += names[i] != NULL;
    if (!left) return 0;
    struct reader *r = memory_zeroed(1, sizeof *r);
    int code = open_reader(r, folder, e);
    if (!code) code = next_member(r, &h, &size, e);
    while (!code && left && !r->ended) {
        char found[sizeof h.name + 1];
        snprintf(found, sizeof found, "%.*s", (int)sizeof h.name, h.name);
        const bool is_file = (h.type == '0' || !h.type) && !h.prefix[0],
                   is_record = is_file && find_member(found);
        size_t i = is_record ? 0 : count;
        r->known += is_record;
        while (i < count && (!names[i] || texts[i] || strcmp(names[i], found) != 0)) i++;
        if (i < count) code = read_member(r, size, &texts[i], e);
        if (i < count) sizes[i] = size;
        left -= i < count;
        if (!code && left) code = skip(r, size, i < count ? 0 : size, e);
        if (!code && left) code = next_member(r, &h, &size, e);
    }
    ZSTD_freeDStream(r->zstd);
    if (r->file) fclose(r->file);
    free(r);
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

static int cannot_write(const char *path, struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: %s: it cannot be packed; free some", path);
}

int record_archive_text(const char *folder, const char *name, char **text, size_t *size,
                        struct error *e)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return record_is_archived(folder, name) ? record_archive_read(folder, name, text, size, e)
                                            : file_read(path, member_max, text, size, e);
}

/* A file that is packed while it is written. */
struct packer {
    ZSTD_CStream *zstd;
    FILE *file;
};

static bool pack(const struct packer *p, const void *data, size_t size, ZSTD_EndDirective how)
{
    char block[1 << 14];
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {block, sizeof block, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in, how);
        if (ZSTD_isError(left) || fwrite(block, 1, out.pos, p->file) != out.pos) return false;
    } while (how == ZSTD_e_end ? left > 0 : in.pos < size);
    return true;
}

/* Packs a member. Without times and owners no field of ustar varies between machines. */
static bool add_member(const struct packer *p, const char *name, const char *text, size_t size)
{
    static const char zeros[sizeof(struct ustar)];
    struct ustar h = {.mode = "000644 ",
                      .uid = "000000 ",
                      .gid = "000000 ",
                      .mtime = "00000000000",
                      .type = '0',
                      .magic = "ustar",
                      .version = {'0', '0'},
                      .major = "000000 ",
                      .minor = "000000 "};
    char digits[16];
    strcpy(h.name, name);
    snprintf(digits, sizeof digits, "%011zo ", size);
    memcpy(h.size, digits, sizeof h.size);
    h.mtime[11] = ' ';
    snprintf(h.sum, sizeof h.sum, "%06o", sum_of(&h));
    h.sum[7] = ' ';
    return pack(p, &h, sizeof h, ZSTD_e_continue) && pack(p, text, size, ZSTD_e_continue) &&
           pack(p, zeros, -size % sizeof h, ZSTD_e_continue);
}

static int add_members(const struct packer *p, const char *folder, const char *path,
                       struct error *e)
{
    static const char end[2 * sizeof(struct ustar)];
    size_t added = 0;
    int code = 0;
    for (size_t i = 0; i < MEMBERS && !code; i++) {
        const char *name = members[i].name;
        char *text = NULL;
        size_t size = 0;
        code = record_archive_text(folder, name, &text, &size, e);
        if (!code && text && !add_member(p, name, text, size)) code = cannot_write(path, e);
        added += text != NULL;
        free(text);
    }
    if (!code && !added)
        return fail(e, EXIT_BAD_INPUT, "no records: %s: nothing to pack; run 'ulplab run' first",
                    folder);
    return code || pack(p, end, sizeof end, ZSTD_e_end) ? code : cannot_write(path, e);
}

/* Packs the members. The last block is not padded: zstd's own program refuses bytes after a frame.
 */
static int pack_members(FILE *file, const char *folder, const char *path, struct error *e)
{
    const struct packer p = {ZSTD_createCStream(), file};
    const bool good =
        p.zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p.zstd, ZSTD_c_compressionLevel, 19));
    int code = good ? add_members(&p, folder, path, e) : cannot_write(path, e);
    ZSTD_freeCStream(p.zstd);
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
