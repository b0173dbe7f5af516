#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/* What results_read(), policy and the reports read. */
static const char *const names[] = {
    "machine.json", "accuracy.jsonl", "timing.jsonl", "codegen.jsonl",     "diverge.jsonl",
    "search.jsonl", "scan.jsonl",     "cases.jsonl",  "certificate.jsonl", "log_softmax.jsonl"};
enum { NAMES = sizeof names / sizeof *names, PATH_ROOM = 200 };

static char folder[PATH_ROOM], other[PATH_ROOM];

static void put_whole(int fd, const void *data, size_t size)
{
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[40];
    if (fd < 0) fd = memfd_create("fuzz", MFD_CLOEXEC);
    put_whole(fd, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
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

/* The name that a line "== NAME" begins a file of; NAMES where it begins none. */
static size_t header_of(const char *line, size_t length)
{
    size_t i = NAMES;
    if (length > 3 && !memcmp(line, "== ", 3))
        for (i = 0; i < NAMES; i++)
            if (strlen(names[i]) == length - 3 && !memcmp(line + 3, names[i], length - 3)) break;
    return i;
}

static void put_part(const char *to, size_t name, const char *text, size_t size)
{
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", to, names[name]);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    put_whole(fd, text, size);
    close(fd);
}

static void remove_parts(const char *from, bool all)
{
    static const char *const written[] = {"report.md", "report.html"};
    char path[2 * PATH_ROOM];
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", from, names[i]);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof written / sizeof *written && all; i++) {
        snprintf(path, sizeof path, "%s/%s", from, written[i]);
        unlink(path);
    }
}

static void put_parts(const char *to, const char *text, size_t size)
{
    size_t name = NAMES, begin = 0;
    for (size_t at = 0; at <= size;) {
        const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
        size_t length = end ? (size_t)(end - text) - at : size - at;
        size_t header = header_of(text + at, length);
        if (header < NAMES || at == size) {
            if (name < NAMES) put_part(to, name, text + begin, at - begin);
            name = header;
            begin = end ? at + length + 1 : size;
        }
        at = at == size ? size + 1 : at + length + (end != NULL);
    }
}

static void make_folder(char path[PATH_ROOM])
{
    const char *place = getenv("FUZZ_PLACE"); /* of who cleans up after a crash */
    if (!place) place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, PATH_ROOM, "%s/ulplab-fuzz-XXXXXX", place);
    if (!mkdtemp(path)) abort();
    static bool registered;
    if (!registered) atexit(fuzz_folders_remove);
    registered = true;
}

const char *fuzz_folder(const uint8_t *data, size_t size)
{
    if (!*folder) make_folder(folder);
    remove_parts(folder, false);
    put_parts(folder, (const char *)data, size);
    return folder;
}

static void put_other(void *context, const uint8_t *data, size_t size)
{
    (void)context;
    put_parts(other, (const char *)data, size);
}

const char *fuzz_other_folder(void)
{
    if (*other) return other;
    make_folder(other);
    fuzz_each_seed(fuzz_find("compare"), put_other, NULL);
    return other;
}

void fuzz_folders_remove(void)
{
    char *const made[] = {folder, other};
    for (size_t i = 0; i < 2; i++) {
        if (!*made[i]) continue;
        remove_parts(made[i], true);
        rmdir(made[i]);
        *made[i] = '\0';
    }
}

/* ---- How the lab fails ------------------------------------------------------------------------
 */

void fuzz_expect_told(int code, const struct error *e)
{
    bool one_line = true;
    for (const char *c = e->text; *c; c++) one_line = one_line && (unsigned char)*c >= ' ';
    if (code >= EXIT_GATE && code <= EXIT_BAD_INPUT && strstr(e->text, ": ") && one_line) return;
    fprintf(stderr, "code %d with '%s'\n", code, e->text);
    abort();
}
