#include "model/record.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "model/record_archive.h"

enum { SCHEMA = 1, LINE_MAX_BYTES = 1 << 20 };
/* Nine digits are enough to see a difference and few enough to read a diff. */
#define RECORD_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))

json_t *record_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *record_hex(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%a", value);
    return json_string(text);
}

const char *record_text(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return text ? text : "";
}

double record_number(const json_t *record, const char *key)
{
    const json_t *value = json_object_get(record, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int append_to_array(void *context, json_t *record, struct error *e)
{
    if (json_array_append_new(context, record) != 0)
        return fail(e, EXIT_PARTIAL, "records: out of memory; measure fewer cells with --filter");
    return 0;
}

struct record_sink record_sink_array(json_t *array)
{
    return (struct record_sink){.put = append_to_array, .context = array};
}

json_t *record_document(json_t *machine)
{
    return json_pack("{s:i, s:{s:s, s:s}, s:o}", "schema", SCHEMA, "tool", "version", build_version,
                     "commit", build_commit, "machine", machine);
}

int record_print(json_t *document, struct error *e)
{
    int bad = json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(document);
    if (bad || putchar('\n') == EOF || fflush(stdout) != 0)
        return fail(e, EXIT_BAD_INPUT, "cannot write: standard output: %s; free some space",
                    strerror(errno));
    return 0;
}

int record_write(FILE *out, const json_t *record)
{
    return json_dumpf(record, out, RECORD_FLAGS) != 0 || putc('\n', out) == EOF ? -1 : 0;
}

/* ---- Files of records ------------------------------------------------------------------------ */

static int cannot(struct error *e, const char *what, const char *path, const char *remedy)
{
    return fail(e, EXIT_BAD_INPUT, "cannot %s: %s: %s; %s", what, path, strerror(errno), remedy);
}

/* The offset behind the last line break. */
static off_t whole_lines(int fd, off_t size)
{
    char c;
    while (size > 0 && pread(fd, &c, 1, size - 1) == 1 && c != '\n') size--;
    return size;
}

int record_open(struct record_file *f, const char *path, bool truncate, struct error *e)
{
    snprintf(f->path, sizeof f->path, "%s", path);
    f->fd = open(path, O_RDWR | O_CREAT | (truncate ? O_TRUNC : 0) | O_CLOEXEC, 0666);
    if (f->fd < 0) return cannot(e, "write", path, "choose another folder with --out");
    off_t end = whole_lines(f->fd, lseek(f->fd, 0, SEEK_END));
    if (ftruncate(f->fd, end) != 0 || lseek(f->fd, end, SEEK_SET) < 0) {
        close(f->fd);
        return cannot(e, "write", path, "choose another folder with --out");
    }
    return 0;
}

int record_append(struct record_file *f, json_t *record, struct error *e)
{
    char *text = json_dumps(record, RECORD_FLAGS);
    json_decref(record);
    if (!text)
        return fail(e, EXIT_PARTIAL, "cannot write: %s: a record is malformed; report this",
                    f->path);
    size_t size = strlen(text);
    text[size++] = '\n'; /* over the string's end: it is not read as a string again */
    off_t before = lseek(f->fd, 0, SEEK_CUR);
    ssize_t n = write(f->fd, text, size);
    free(text);
    if (n == (ssize_t)size) return 0;
    int why = n < 0 ? errno : ENOSPC;
    if (ftruncate(f->fd, before) == 0) lseek(f->fd, before, SEEK_SET);
    errno = why;
    return cannot(e, "write", f->path,
                  "free some space, then --resume; finished records are intact");
}

int record_close(struct record_file *f, struct error *e)
{
    int bad = fsync(f->fd) != 0 && errno != EINVAL && errno != EROFS;
    bad |= close(f->fd) != 0;
    return bad ? cannot(e, "write", f->path, "free some space, then --resume") : 0;
}

static int append_to_file(void *context, json_t *record, struct error *e)
{
    return record_append(context, record, e);
}

struct record_sink record_sink_file(struct record_file *f)
{
    return (struct record_sink){.put = append_to_file, .context = f};
}

/* ---- Rows that differ in nothing but their id -------------------------------------------------
 */

static char *content_without_id(const json_t *record)
{
    json_t *rest = json_copy((json_t *)(uintptr_t)record);
    json_object_del(rest, "id");
    char *content = json_dumps(rest, RECORD_FLAGS);
    json_decref(rest);
    return content;
}

json_t *records_fold(const json_t *records)
{
    json_t *folded = json_array(), *first_of = json_object();
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        char *content = content_without_id(record);
        json_t *first = content ? json_object_get(first_of, content) : NULL;
        if (first) {
            json_t *also = json_object_get(first, "also");
            if (!also) json_object_set_new(first, "also", also = json_array());
            json_array_append(also, json_object_get(record, "id"));
        } else {
            json_t *copy = json_copy(record);
            if (content) json_object_set(first_of, content, copy);
            json_array_append_new(folded, copy);
        }
        free(content);
    }
    json_decref(first_of);
    return folded;
}

static void append_unfolded(json_t *records, json_t *record)
{
    json_t *also = json_incref(json_object_get(record, "also")), *id;
    size_t i;
    json_object_del(record, "also");
    json_array_append_new(records, record);
    json_array_foreach(also, i, id)
    {
        json_t *copy = json_copy(record);
        json_object_set(copy, "id", id);
        json_array_append_new(records, copy);
    }
    json_decref(also);
}

static int read_lines(FILE *in, const char *path, json_t *records, struct error *e)
{
    char *line = NULL;
    size_t room = 0;
    int code = 0;
    for (int number = 1; !code; number++) {
        ssize_t length = getline(&line, &room, in);
        if (length < 0 || line[length - 1] != '\n') break; /* the end, or a cut record */
        json_error_t why;
        json_t *record = length <= LINE_MAX_BYTES
                             ? json_loadb(line, (size_t)length, JSON_REJECT_DUPLICATES, &why)
                             : NULL;
        if (json_is_object(record)) {
            append_unfolded(records, record);
        } else {
            code = fail(e, EXIT_BAD_INPUT,
                        "bad record: %s:%d: %s; measure again, or remove the line", path, number,
                        length > LINE_MAX_BYTES ? "longer than 1 MiB"
                        : record                ? "not an object"
                                                : why.text);
            json_decref(record);
        }
    }
    free(line);
    return code;
}

int record_read(const char *path, bool optional, json_t **records, struct error *e)
{
    *records = json_array();
    FILE *in = fopen(path, "rbe");
    if (!in && errno == ENOENT && optional) return 0;
    struct stat st;
    int code = 0;
    if (!in || fstat(fileno(in), &st) != 0)
        code = cannot(e, "read", path, "run 'ulplab run' first, or name a folder of results");
    else if (!S_ISREG(st.st_mode) || st.st_size > 1 << 30)
        code = fail(e, EXIT_BAD_INPUT, "cannot read: %s: not a file of at most 1 GiB; name another",
                    path);
    else
        code = read_lines(in, path, *records, e);
    if (in) fclose(in);
    if (code) {
        json_decref(*records);
        *records = NULL;
    }
    return code;
}

static int read_archived(const char *folder, const char *name, bool optional, json_t *records,
                         struct error *e)
{
    char *text = NULL, path[1200];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/" RECORD_ARCHIVE ":%s", folder, name);
    int code = record_archive_read(folder, name, &text, &size, e);
    if (!code && !text && !optional)
        code = fail(e, EXIT_BAD_INPUT,
                    "cannot read: %s: not in the archive; run 'ulplab run' again", path);
    FILE *in = size ? fmemopen(text, size, "rb") : NULL;
    if (size && !in) code = fail(e, EXIT_PARTIAL, "out of memory: %s; free some", path);
    if (in) {
        code = read_lines(in, path, records, e);
        fclose(in);
    }
    free(text);
    return code;
}

int record_read_from(const char *folder, const char *name, bool optional, json_t **records,
                     struct error *e)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!record_is_archived(folder, name)) return record_read(path, optional, records, e);
    *records = json_array();
    int code = read_archived(folder, name, optional, *records, e);
    if (code) {
        json_decref(*records);
        *records = NULL;
    }
    return code;
}

/* 0, or -1 with errno. */
static int write_parts(int fd, const struct iovec *parts, int count)
{
    for (int i = 0; i < count; i++)
        for (size_t done = 0; done < parts[i].iov_len;) {
            ssize_t n = write(fd, (const char *)parts[i].iov_base + done, parts[i].iov_len - done);
            if (n < 0 && errno != EINTR) return -1;
            if (n > 0) done += (size_t)n;
        }
    return 0;
}

static void sync_folder_of(const char *path)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    int dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return;
    fsync(dir);
    close(dir);
}

/* What is no regular file has nothing to keep whole, and must not be replaced by one. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int file_write_parts(const char *path, const struct iovec *parts, int count, struct error *e)
{
    const char *remedy = "free some space, or choose another place with --out";
    bool special = is_special(path);
    char temporary[1100];
    snprintf(temporary, sizeof temporary, special ? "%s" : "%s.%d.tmp", path, (int)getpid());

    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return cannot(e, "write", path, remedy);
    int bad = write_parts(fd, parts, count);
    if (!bad && !special) bad = fsync(fd);
    int why = errno;
    if (close(fd) != 0 && !bad) bad = -1, why = errno;
    if (!bad && !special && rename(temporary, path) != 0) bad = -1, why = errno;
    if (bad) {
        if (!special) unlink(temporary);
        errno = why;
        return cannot(e, "write", path, remedy);
    }
    if (!special) sync_folder_of(path);
    return 0;
}

int file_write_atomic(const char *path, const char *text, size_t size, struct error *e)
{
    /* iovec is for reading too, and so not const. */
    const struct iovec part = {(char *)(uintptr_t)text, size};
    return file_write_parts(path, &part, 1, e);
}

int folder_make(const char *path, struct error *e)
{
    char partial[1024];
    snprintf(partial, sizeof partial, "%s", path);
    for (char *slash = partial + 1;; slash++) {
        if (*slash && *slash != '/') continue;
        char end = *slash;
        *slash = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return cannot(e, "write", path, "choose another folder with --out");
        if (!end) break;
        *slash = end;
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || access(path, W_OK) != 0)
        return cannot(e, "write", path, "choose another folder with --out");
    return 0;
}
