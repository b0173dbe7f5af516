// SPDX-License-Identifier: MIT
#include "model/record_outliving.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "build.h"
#include "model/record_archive.h"

enum { PATH_ROOM = 1400 };
static const char inputs[] = "adversarial";
static const char *const files[] = {"scan.jsonl", "search.jsonl", "certificate.jsonl",
                                    "instructions.jsonl", "flags.jsonl"};
enum { FILES = sizeof files / sizeof *files };

bool record_outlives(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (!strcmp(files[i], name)) return true;
    return !strcmp(inputs, name);
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
    for (size_t i = 0; !code && i < FILES; i++) code = copy_file(from, to, files[i], e);
    return code ? code : copy_inputs(from, to, e);
}
