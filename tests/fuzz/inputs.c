// SPDX-License-Identifier: MIT
/* Inputs as the lab takes them: files, texts and folders in memory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/* The files that db_read(), policy and the reports read. */
static const char *const names[] = {
    "machine.json", "accuracy.jsonl", "timing.jsonl", "codegen.jsonl",     "diverge.jsonl",
    "search.jsonl", "scan.jsonl",     "cases.jsonl",  "certificate.jsonl", "log_softmax.jsonl"};
enum { NAMES = sizeof names / sizeof *names, PATH_ROOM = 200 };

/* A folder in memory, and what its files hold: contents that the last input had, too, are not
 * written again. */
struct part {
    bool there;
    char *text;
    size_t size;
};
static struct folder {
    char path[PATH_ROOM];
    struct part parts[NAMES];
} folder, other;

static char file[PATH_ROOM]; /* the path that fuzz_file() returned */

static void make_folder(struct folder *f)
{
    const char *place = getenv("FUZZ_PLACE"); /* set by a caller that cleans up */
    if (!place) place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(f->path, sizeof f->path, "%s/ulplab-fuzz-XXXXXX", place);
    if (!mkdtemp(f->path)) abort();
    static bool registered;
    if (!registered) atexit(fuzz_folders_remove);
    registered = true;
}

/* Overwrites the old contents in place: returning pages to the system costs more than writing. */
static void put_whole(int fd, const void *data, size_t size)
{
    if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size) != 0)
        abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (!*folder.path) make_folder(&folder);
    if (fd < 0) {
        snprintf(file, sizeof file, "%.180s/file", folder.path);
        fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    put_whole(fd, data, size);
    return file;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* Returns the index of the name that a line "== NAME" begins; NAMES if the line begins no file. */
static size_t header_of(const char *line, size_t length)
{
    size_t i = NAMES;
    if (length > 3 && !memcmp(line, "== ", 3))
        for (i = 0; i < NAMES; i++)
            if (strlen(names[i]) == length - 3 && !memcmp(line + 3, names[i], length - 3)) break;
    return i;
}

static void put_part(struct folder *f, size_t name, const char *text, size_t size)
{
    struct part *part = &f->parts[name];
    if (part->there && part->size == size && !memcmp(part->text, text, size)) return;
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", f->path, names[name]);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    put_whole(fd, text, size);
    close(fd);
    char *copy = realloc(part->text, size + 1);
    if (!copy) abort();
    memcpy(copy, text, size);
    *part = (struct part){true, copy, size};
}

static void remove_part(struct folder *f, size_t name)
{
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", f->path, names[name]);
    if (f->parts[name].there) unlink(path);
    f->parts[name].there = false;
}

/* Writes the files of a text. If a name comes twice, the second counts. */
static void put_parts(struct folder *f, const char *text, size_t size)
{
    struct {
        const char *text;
        size_t size;
    } found[NAMES + 1] = {{NULL, 0}}; /* the last entry takes lines above the first name */
    size_t name = NAMES, begin = 0;
    for (size_t at = 0; at <= size;) {
        const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
        size_t length = end ? (size_t)(end - text) - at : size - at;
        size_t header = header_of(text + at, length);
        if (header < NAMES || at == size) {
            found[name].text = text + begin;
            found[name].size = at - begin;
            name = header;
            begin = end ? at + length + 1 : size;
        }
        at = at == size ? size + 1 : at + length + (end != NULL);
    }
    for (size_t i = 0; i < NAMES; i++)
        found[i].text ? put_part(f, i, found[i].text, found[i].size) : remove_part(f, i);
}

const char *fuzz_folder(const uint8_t *data, size_t size)
{
    if (!*folder.path) make_folder(&folder);
    put_parts(&folder, (const char *)data, size);
    return folder.path;
}

static void put_other(void *context, const uint8_t *data, size_t size)
{
    (void)context;
    put_parts(&other, (const char *)data, size);
}

const char *fuzz_other_folder(void)
{
    if (*other.path) return other.path;
    make_folder(&other);
    fuzz_each_seed(fuzz_find("compare"), put_other, NULL);
    return other.path;
}

static void remove_folder(struct folder *f)
{
    static const char *const written[] = {"report.md", "report.html", "file"};
    char path[2 * PATH_ROOM];
    for (size_t i = 0; i < NAMES; i++) {
        remove_part(f, i);
        free(f->parts[i].text);
        f->parts[i].text = NULL;
    }
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        snprintf(path, sizeof path, "%s/%s", f->path, written[i]);
        unlink(path);
    }
    rmdir(f->path);
    *f->path = '\0';
}

void fuzz_folders_remove(void)
{
    if (*folder.path) remove_folder(&folder);
    if (*other.path) remove_folder(&other);
}

/* ---- How the lab fails ----------------------------------------------------------------------- */

void fuzz_expect_told(int code, const struct error *e)
{
    bool one_line = true;
    for (const char *c = e->text; *c; c++) one_line = one_line && (unsigned char)*c >= ' ';
    if (code >= EXIT_GATE && code <= EXIT_BAD_INPUT && strstr(e->text, ": ") && one_line) return;
    fprintf(stderr, "code %d with '%s'\n", code, e->text);
    abort();
}
