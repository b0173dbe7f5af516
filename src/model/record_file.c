// SPDX-License-Identifier: MIT
#include "model/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "build.h"
#include "model/lab_db.h"
#include "model/record_archive.h"
#include "model/record_scan.h"

/* ---- Runs ------------------------------------------------------------------------------------ */

static const char field[] = "run_id";
enum { END_ROOM = sizeof ",\"run_id\":\"\"}\n" + RUN_ID_SIZE };

const struct result_file result_files[] = {
    {"accuracy.jsonl", .of_run = true, .packed = true},
    {"cases.jsonl", .of_run = true, .packed = true},
    {"certificate.jsonl", .outlives = true},
    {"codegen.jsonl", .of_run = true, .packed = true},
    {"diverge.jsonl", .of_run = true, .packed = true},
    {"flags.jsonl", .outlives = true, .packed = true},
    {"instructions.jsonl", .outlives = true, .packed = true},
    {"log_softmax.jsonl", .packed = true}, /* of runs of earlier versions */
    {"samples.jsonl", .of_run = true},
    {"scan.jsonl", .outlives = true, .packed = true},
    {"search.jsonl", .outlives = true},
    {"timing.jsonl", .of_run = true, .packed = true},
    {0},
};

const struct result_file *result_file_find(const char *name)
{
    const struct result_file *f = result_files;
    while (f->name && strcmp(f->name, name) != 0) f++;
    return f->name ? f : NULL;
}

bool record_run_writes(const char *name)
{
    const struct result_file *f = result_file_find(name);
    return f && f->of_run;
}

const char *record_run_of(const json_t *machine)
{
    return json_is_true(json_object_get(machine, "stamped")) ? record_text(machine, "run") : "";
}

bool record_run_is_cut(const json_t *machine)
{
    return *record_run_of(machine) && !*record_text(machine, "finished");
}

void record_run_stamp(json_t *record, const char *run)
{
    if (!*run) return;
    json_object_del(record, field);
    json_object_set_new(record, field, json_string(run));
}

void record_run_stamp_all(json_t *records, const char *run)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) record_run_stamp(record, run);
}

static const char *record_run_or_none(const char *run)
{
    return *run ? run : "none";
}

int record_run_check(const char *run, const char *path, json_t *records, struct error *e)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        const char *of = record_text(record, field);
        if (run && strcmp(of, run) != 0)
            return fail(e, EXIT_BAD_INPUT,
                        "mixed records: %s: record %zu is of run %.20s, machine.json of %.20s; "
                        "remove the other run's file, or measure again",
                        path, i + 1, record_run_or_none(of), record_run_or_none(run));
        json_object_del(record, field);
    }
    return 0;
}

/* ---- Runs in the text of a file -------------------------------------------------------------- */

/* Writes the end of a line that has the run's identity, as the lab writes it. */
static size_t line_end(const char *run, char end[END_ROOM])
{
    return (size_t)snprintf(end, END_ROOM, ",\"%s\":\"%.*s\"}\n", field, RUN_ID_SIZE - 1, run);
}

/* Returns the length of the line at `at`, its break included; the text after the last break is a
 * line. */
static size_t line_size(const char *at, const char *stop)
{
    const char *end = memchr(at, '\n', (size_t)(stop - at));
    return (size_t)((end ? end + 1 : stop) - at);
}

static bool all_end_so(const char *text, size_t size, const char *end, size_t length)
{
    const char *stop = text + size;
    for (size_t n; text < stop; text += n) {
        n = line_size(text, stop);
        if (n <= length || memcmp(text + n - length, end, length) != 0) return false;
    }
    return true;
}

static int check_text(const char *run, const char *path, char *text, size_t size, struct error *e)
{
    json_t *records = json_array();
    int code = record_text_read(text, size, path, records, e);
    if (!code) code = record_run_check(run, path, records, e);
    json_decref(records);
    return code;
}

int record_run_unstamp_text(const char *run, const char *path, char *text, size_t *size,
                            struct error *e)
{
    char end[END_ROOM], *to = text;
    const size_t length = line_end(run, end);
    const bool named = memmem(text, *size, field, sizeof field - 1) != NULL;
    if (!*size || (!*run && !named)) return 0;
    if (!*run || !all_end_so(text, *size, end, length))
        return check_text(run, path, text, *size, e);
    const char *stop = text + *size;
    for (const char *at = text; at < stop;) {
        const size_t n = line_size(at, stop), kept = n - length;
        memmove(to, at, kept);
        memcpy(to + kept, "}\n", 2);
        to += kept + 2;
        at += n;
    }
    *size = (size_t)(to - text);
    return 0;
}

char *record_run_stamp_text(const char *run, const char *text, size_t size, size_t *stamped)
{
    char end[END_ROOM], *whole = NULL;
    const size_t length = line_end(run, end);
    FILE *out = memory_text(&whole, stamped);
    for (const char *at = text, *stop = text + size; at < stop;) {
        const size_t n = line_size(at, stop);
        const bool plain =
            n > 3 && !memcmp(at + n - 2, "}\n", 2) && !memmem(at, n, field, sizeof field - 1);
        fwrite(at, 1, plain ? n - 2 : n, out);
        if (plain) fwrite(end, 1, length, out);
        at += n;
    }
    memory_text_close(out);
    return whole;
}

enum { MACHINE_MAX_BYTES = 1 << 20, FILE_MAX_BYTES = 1 << 30 };

/* ---- Writing --------------------------------------------------------------------------------- */

/* Returns the offset behind the last line break. Returns -1, with errno, if the file cannot be
 * read: otherwise its content would be cut off as if it were no line. */
static off_t whole_lines(int fd, off_t size)
{
    char c = '\n';
    for (; size > 0; size--) {
        ssize_t n = pread(fd, &c, 1, size - 1);
        if (n < 0 && errno == EINTR) n = pread(fd, &c, 1, size - 1);
        if (n != 1) return -1;
        if (c == '\n') break;
    }
    return size;
}

int record_write_file(const char *path, const json_t *records, struct error *e)
{
    char *text = NULL;
    size_t size = 0, i;
    const json_t *record;
    FILE *out = memory_text(&text, &size);
    bool whole = true;
    json_array_foreach(records, i, record) whole = whole && record_write(out, record) == 0;
    memory_text_close(out);
    int code = whole ? file_write_atomic(path, text, size, e)
                     : fail(e, EXIT_BAD_INPUT,
                            "cannot write: %s: a record is malformed; report this", path);
    free(text);
    return code;
}

int record_open(struct record_file *f, const char *path, bool truncate, struct error *e)
{
    snprintf(f->path, sizeof f->path, "%s", path);
    f->run[0] = '\0';
    f->fd = open(path, O_RDWR | O_CREAT | (truncate ? O_TRUNC : 0) | O_CLOEXEC, 0666);
    if (f->fd < 0) return file_cannot(e, "write", path, "choose another folder with --out");
    off_t end = whole_lines(f->fd, lseek(f->fd, 0, SEEK_END));
    if (end >= 0 && ftruncate(f->fd, end) == 0 && lseek(f->fd, end, SEEK_SET) == end) return 0;
    int why = errno;
    close(f->fd);
    errno = why;
    return file_cannot(e, "write", path, "choose another folder with --out");
}

int record_append(struct record_file *f, json_t *record, struct error *e)
{
    record_run_stamp(record, f->run);
    char *text = json_dumps(record, RECORD_FLAGS);
    json_decref(record);
    if (!text)
        return fail(e, EXIT_PARTIAL, "cannot write: %s: a record is malformed; report this",
                    f->path);
    size_t size = strlen(text);
    text[size++] = '\n'; /* replaces the terminating 0: text is no longer a string */
    off_t before = lseek(f->fd, 0, SEEK_CUR);
    bool whole = write_all(f->fd, text, size);
    int why = errno;
    free(text);
    if (whole) return 0;
    if (ftruncate(f->fd, before) == 0) lseek(f->fd, before, SEEK_SET);
    errno = why;
    return file_cannot(e, "write", f->path,
                       "free some space, then --resume; finished records are intact");
}

int record_close(struct record_file *f, struct error *e)
{
    int bad = fsync(f->fd) != 0 && errno != EINVAL && errno != EROFS;
    bad |= close(f->fd) != 0;
    return bad ? file_cannot(e, "write", f->path, "free some space, then --resume") : 0;
}

static int append_to_file(void *context, json_t *record, struct error *e)
{
    return record_append(context, record, e);
}

struct record_sink record_sink_file(struct record_file *f)
{
    return (struct record_sink){.put = append_to_file, .context = f};
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Frees the records after an error, so that the caller gets none. */
static int records_or_none(int code, json_t **records)
{
    if (!code) return 0;
    json_decref(*records);
    *records = NULL;
    return code;
}

int record_read(const char *path, bool optional, json_t **records, struct error *e)
{
    struct stat st;
    FILE *in = file_open(path); /* read line by line: one of a gigabyte is refused unread */
    int code = 0;
    *records = json_array();
    if (!in && errno == ENOENT && optional) return 0;
    if (!in)
        code = file_cannot(e, "read", path, "run 'ulplab run' first, or name a folder of results");
    else if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX_BYTES)
        code = fail(e, EXIT_BAD_INPUT, "cannot read: %s: not a file of at most 1 GiB; name another",
                    path);
    else
        code = record_lines_read(in, path, *records, e);
    if (in) fclose(in);
    return records_or_none(code, records);
}

/* Reads the records of a run of an archive, or of a folder's archive. */
static int read_packed(const char *folder, const char *name, bool lab, bool optional,
                       json_t *records, struct error *e)
{
    char path[1200], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s%s", folder, lab ? "" : RECORD_ARCHIVE ":", name);
    int code = lab ? lab_read_place(folder, name, &text, &size, e)
                   : record_archive_read(folder, name, &text, &size, e);
    if (!code && !text && !optional)
        code = fail(e, EXIT_BAD_INPUT, "cannot read: %s: %s", path,
                    lab ? "the run has no such file; name another"
                        : "not in the archive; run 'ulplab run' again");
    if (!code) code = record_text_read(text, size, path, records, e);
    free(text);
    return code;
}

bool record_is_folder(const char *word)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/machine.json", word);
    return access(path, F_OK) == 0 || lab_is_place(word, NULL, 0, NULL);
}

int record_parse_machine(const char *path, char *text, size_t size, json_t **machine,
                         struct error *e)
{
    json_error_t parsed = {.text = ""};
    *machine = NULL;
    if (text) record_blank_controls(text, size);
    if (text) *machine = json_loadb(text, size, JSON_REJECT_DUPLICATES, &parsed);
    const double schema = record_number(*machine, "schema");
    const bool is_known = !(schema > RECORD_SCHEMA);
    if (is_known && json_is_object(json_object_get(*machine, "machine"))) return 0;
    int code =
        is_known ? fail(e, EXIT_BAD_INPUT,
                        "not a folder of results: %s: %s; run 'ulplab run', or name another", path,
                        *machine ? "no machine in it"
                        : text   ? parsed.text
                                 : "No such file or directory")
                 : fail(e, EXIT_BAD_INPUT,
                        "newer records: %s: schema %g, of ulplab %.20s; this one reads up to %d: "
                        "take the newer one",
                        path, schema, record_text(json_object_get(*machine, "tool"), "version"),
                        RECORD_SCHEMA);
    json_decref(*machine);
    *machine = NULL;
    return code;
}

int record_read_machine(const char *folder, json_t **machine, struct error *e)
{
    char path[1200], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/machine.json", folder);
    int code = lab_is_place(folder, NULL, 0, NULL)
                   ? lab_read_place(folder, "machine.json", &text, &size, e)
                   : file_read(path, MACHINE_MAX_BYTES, &text, &size, e);
    *machine = NULL;
    if (!code) code = record_parse_machine(path, text, size, machine, e);
    free(text);
    return code;
}

/* Checks that the records belong to machine.json's run. An archive has checked that when the run
 * was added. */
static int check_run(const char *folder, const char *path, json_t *records, struct error *e)
{
    json_t *machine = NULL;
    if (!json_array_size(records)) return 0;
    int code = record_is_folder(folder) ? record_read_machine(folder, &machine, e) : 0;
    if (!code) code = record_run_check(record_run_of(machine), path, records, e);
    json_decref(machine);
    return code;
}

int record_read_from(const char *folder, const char *name, bool optional, json_t **records,
                     struct error *e)
{
    char path[1200];
    const bool lab = lab_is_place(folder, NULL, 0, NULL);
    int code = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (lab || record_is_archived(folder, name)) {
        *records = json_array();
        code = read_packed(folder, name, lab, optional, *records, e);
    } else {
        code = record_read(path, optional, records, e);
    }
    if (!code && record_run_writes(name))
        code =
            lab ? record_run_check(NULL, path, *records, e) : check_run(folder, path, *records, e);
    return records_or_none(code, records);
}

/* ---- Files that outlive a run ---------------------------------------------------------------- */

enum { PATH_ROOM = 1400 };
static const char inputs[] = "adversarial";

bool record_outlives(const char *name)
{
    const struct result_file *f = result_file_find(name);
    return f ? f->outlives : !strcmp(inputs, name);
}

void record_built(json_t *record)
{
    json_object_set_new(record, "commit", json_string(build_commit));
}

static int copy_file(const char *from, const char *to, const char *name, struct error *e)
{
    char path[PATH_ROOM], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", to, name);
    int code = record_archive_text(from, name, &text, &size, e);
    if (!code && text) code = folder_make(to, e);
    if (!code && text) code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

static int copy_inputs(const char *from, const char *to, struct error *e)
{
    char folder[PATH_ROOM], name[400];
    int code = 0;
    snprintf(folder, sizeof folder, "%s/%s", from, inputs);
    DIR *all = opendir(folder);
    if (!all) return 0;
    snprintf(folder, sizeof folder, "%s/%s", to, inputs);
    code = folder_make(folder, e);
    for (const struct dirent *d; !code && (d = readdir(all));) {
        const size_t length = strlen(d->d_name);
        if (d->d_name[0] == '.' || length < 4 || strcmp(d->d_name + length - 4, ".npy")) continue;
        snprintf(name, sizeof name, "%s/%s", inputs, d->d_name);
        code = copy_file(from, to, name, e);
    }
    closedir(all);
    return code;
}

int record_outliving_copy(const char *from, const char *to, struct error *e)
{
    int code = 0;
    for (const struct result_file *f = result_files; !code && f->name; f++)
        if (f->outlives) code = copy_file(from, to, f->name, e);
    return code ? code : copy_inputs(from, to, e);
}
