// SPDX-License-Identifier: MIT
#include "publish/db/files.h"

#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/error.h"
#include "base/random.h"
#include "model/record_archive.h"
#include "model/record.h"

/* explain.jsonl and log_softmax.jsonl are of earlier versions. machine.json comes last when a
 * run is exported: a folder without it is no folder of results. */
static const char *const names[] = {
    "accuracy.jsonl", "cases.jsonl",  "certificate.jsonl",  "codegen.jsonl",     "diverge.jsonl",
    "explain.jsonl",  "flags.jsonl",  "instructions.jsonl", "log_softmax.jsonl", "scan.jsonl",
    "search.jsonl",   "timing.jsonl", "machine.json"};
enum { NAMES = sizeof names / sizeof *names, PATH_ROOM = 1300 };
static const char adversarial[] = "adversarial/";

/* 128 bits of FNV-1a in two halves, for contents without a malicious author. The halves are
 * interleaved, because each waits for its own multiplications. */
static void files_hash_of(const char *text, size_t size, char hash[HASH_MAX])
{
    uint64_t a = HASH_BASIS, b = RANDOM_STEP;
    for (size_t i = 0; i < size; i++) {
        a = hash_bytes(a, text + i, 1);
        b = hash_bytes(b, text + i, 1);
    }
    snprintf(hash, HASH_MAX, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

bool kept_file_name_is_safe(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (!strncmp(name, adversarial, sizeof adversarial - 1)) name += sizeof adversarial - 1;
    return name[0] && name[0] != '.' && strlen(name) == strspn(name, letters);
}

void kept_files_add(struct kept_files *f, const char *name, char *text, size_t size)
{
    f->items = memory_grow(f->items, (f->count + 1) * sizeof *f->items);
    struct kept_file *file = &f->items[f->count++];
    *file = (struct kept_file){.text = text, .size = size};
    snprintf(file->name, sizeof file->name, "%s", name);
    f->bytes += size;
}

/* Leaves out a truncated last line, and says so. */
static void trim(const char *path, const char *text, size_t *size)
{
    const char *end = memrchr(text, '\n', *size);
    const size_t whole = end ? (size_t)(end + 1 - text) : 0;
    if (whole == *size || !strstr(path, ".jsonl")) return;
    note("%s: its last line is cut off, and left out", path);
    *size = whole;
}

/* The content of a record file does not depend on the run: nightly runs share it. Takes over the
 * text; NULL: it is in the folder, or nowhere. */
static int files_add_file(struct kept_files *f, const char *folder, const char *run,
                          const char *name, char *text, size_t size, struct error *e)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int code = text ? 0 : file_read(path, 1 << 30, &text, &size, e);
    if (!code && text) trim(path, text, &size);
    if (!code && text && record_run_writes(name))
        code = record_run_unstamp_text(run, path, text, &size, e);
    if (!code && text)
        kept_files_add(f, name, text, size);
    else
        free(text);
    return code;
}

static int add_files(struct kept_files *f, const char *folder, const char *run, const glob_t *found,
                     struct error *e)
{
    const char *archived[NAMES];
    char *texts[NAMES] = {NULL};
    size_t sizes[NAMES] = {0};
    for (size_t i = 0; i < NAMES; i++)
        archived[i] = record_is_archived(folder, names[i]) ? names[i] : NULL;
    int code = record_archive_texts(folder, archived, NAMES, texts, sizes, e);
    for (size_t i = 0; i < found->gl_pathc && !code; i++) {
        char name[FILE_NAME_MAX];
        snprintf(name, sizeof name, "%.100s", found->gl_pathv[i] + strlen(folder) + 1);
        if (kept_file_name_is_safe(name)) code = files_add_file(f, folder, run, name, NULL, 0, e);
    }
    for (size_t i = 0; i < NAMES; i++)
        if (code)
            free(texts[i]);
        else if (texts[i] || !archived[i])
            code = files_add_file(f, folder, run, names[i], texts[i], sizes[i], e);
    return code;
}

static void hash_all(struct kept_files *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < f->count; i++) {
        files_hash_of(f->items[i].text, f->items[i].size, f->items[i].hash);
        fprintf(out, "%s %s\n", f->items[i].name, f->items[i].hash);
    }
    memory_text_close(out);
    files_hash_of(text, size, f->content);
    free(text);
}

int kept_files_read(const char *folder, const char *run, enum kept what, struct kept_files *f,
                    struct error *e)
{
    glob_t found = {0};
    char pattern[PATH_ROOM];
    snprintf(pattern, sizeof pattern, "%s/%s*.npy", folder, adversarial);
    *f = (struct kept_files){0};
    if (what == KEPT_ALL) glob(pattern, 0, NULL, &found);
    int code = add_files(f, folder, run, &found, e);
    globfree(&found);
    if (!code && what == KEPT_ALL) hash_all(f);
    if (code) kept_files_free(f);
    return code;
}

void kept_files_free(struct kept_files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].text);
        free(f->items[i].data);
    }
    free(f->items);
    *f = (struct kept_files){0};
}
