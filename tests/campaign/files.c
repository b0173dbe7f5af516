// SPDX-License-Identifier: MIT
/* Files in the campaign's folder: comparing and reading them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign.h"

void place_of(const struct campaign *c, const char *name, char place[PLACE_MAX])
{
    if ((size_t)snprintf(place, PLACE_MAX, "%s/%s", c->folder, name) < PLACE_MAX) return;
    fprintf(stderr, "campaign: %s: its path is too long\n", name);
    exit(EXIT_FAILURE);
}

/* Takes `,"run_id":"0123456789abcdef"` off each record. */
static void unstamp(char *text, size_t *size)
{
    static const char begin[] = ",\"run_id\":\"";
    const size_t length = sizeof begin - 1 + 16 + 1;
    for (char *at = text;
         (at = memmem(at, *size - (size_t)(at - text), begin, sizeof begin - 1));) {
        memmove(at, at + length, *size - (size_t)(at - text) - length + 1);
        *size -= length;
    }
}

static char *raw_text_of(const struct campaign *c, const char *name, size_t *size)
{
    char place[PLACE_MAX];
    place_of(c, name, place);
    FILE *in = fopen(place, "rb");
    *size = 0;
    if (!in) return NULL;
    char *text = NULL;
    FILE *copy = open_memstream(&text, size);
    if (!copy) abort();
    for (int byte; (byte = getc(in)) != EOF;) putc(byte, copy);
    fclose(in);
    if (fclose(copy) != 0) abort();
    return text;
}

char *text_of(const struct campaign *c, const char *name, size_t *size)
{
    char *text = raw_text_of(c, name, size);
    if (text) unstamp(text, size);
    return text;
}

bool is_one_run(const struct campaign *c)
{
    static const char *const names[] = {"codegen", "accuracy", "diverge",
                                        "samples", "timing",   "cases"};
    char want[40], name[40], *save;
    size_t size;
    char *text = raw_text_of(c, "work/machine.json", &size);
    json_t *machine = text ? json_loads(text, 0, NULL) : NULL;
    const char *run = json_string_value(json_object_get(machine, "run"));
    snprintf(want, sizeof want, "\"run_id\":\"%.16s\"}", run ? run : "none");
    json_decref(machine);
    free(text);
    bool one = true;
    for (size_t i = 0; one && i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "work/%s.jsonl", names[i]);
        text = raw_text_of(c, name, &size);
        for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && one;
             line = strtok_r(NULL, "\n", &save))
            one = strstr(line, want) != NULL;
        free(text);
    }
    return one;
}

bool same_file(const struct campaign *c, const char *a, const char *b)
{
    size_t sizes[2];
    char *x = text_of(c, a, &sizes[0]), *y = text_of(c, b, &sizes[1]);
    bool same = (x && y) ? sizes[0] == sizes[1] && !memcmp(x, y, sizes[0]) : !x && !y;
    free(x);
    free(y);
    return same;
}

bool is_there(const struct campaign *c, const char *name)
{
    char place[PLACE_MAX];
    place_of(c, name, place);
    return access(place, F_OK) == 0;
}

void command(const struct campaign *c, const char *line)
{
    char whole[2 * PLACE_MAX];
    snprintf(whole, sizeof whole, "cd '%s' && %s", c->folder, line);
    if (system(whole) == 0) return;
    fprintf(stderr, "campaign: '%s' failed\n", line);
    exit(EXIT_FAILURE);
}

static DIR *open_folder(const struct campaign *c, const char *name)
{
    char place[PLACE_MAX];
    place_of(c, name, place);
    return opendir(place);
}

bool keeps_files(const struct campaign *c, const char *a, const char *b, char which[PLACE_MAX])
{
    DIR *folder = open_folder(c, a);
    bool kept = true;
    for (const struct dirent *d; kept && folder && (d = readdir(folder));) {
        char of_a[PLACE_MAX], of_b[PLACE_MAX];
        if (d->d_name[0] == '.') continue;
        snprintf(of_a, sizeof of_a, "%.200s/%s", a, d->d_name);
        snprintf(of_b, sizeof of_b, "%.200s/%s", b, d->d_name);
        kept = same_file(c, of_a, of_b);
        if (!kept) snprintf(which, PLACE_MAX, "%s", d->d_name);
    }
    if (folder) closedir(folder);
    return kept;
}

bool keeps_lines(const struct campaign *c, const char *a, const char *b)
{
    size_t sizes[2];
    char *lines = text_of(c, a, &sizes[0]), *all = text_of(c, b, &sizes[1]), *save = NULL;
    bool kept = lines && all;
    for (char *line = kept ? strtok_r(lines, "\n", &save) : NULL; line && kept;
         line = strtok_r(NULL, "\n", &save))
        kept = strstr(all, line) != NULL;
    free(lines);
    free(all);
    return kept;
}

bool has_file_ending(const struct campaign *c, const char *name, const char *ending)
{
    DIR *folder = open_folder(c, name);
    bool has = false;
    for (const struct dirent *d; !has && folder && (d = readdir(folder));) {
        size_t length = strlen(d->d_name), own = strlen(ending);
        has = length >= own && !strcmp(d->d_name + length - own, ending);
    }
    if (folder) closedir(folder);
    return has;
}
