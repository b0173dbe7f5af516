// SPDX-License-Identifier: MIT
#include "cmd/run_place.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/list.h"
#include "base/memory.h"
#include "model/record.h"
#include "model/record_archive.h"

/* ---- Names ----------------------------------------------------------------------------------- */

enum { PATH_ROOM = 3 * PLACE_SIZE };
static const char infix[] = "unfinished-";

/* Finds the folder that holds unfinished runs, and the beginning of their names: beside `home`, or
 * with `inside` in it, for a folder whose parent cannot be written to or that is a disk of its own.
 */
static void beginning(const char *home, bool inside, char folder[PLACE_SIZE], char name[PLACE_SIZE])
{
    char copy[PLACE_SIZE];
    snprintf(copy, sizeof copy, "%s", home);
    snprintf(name, PLACE_SIZE, ".%.200s%s%s", inside ? "" : basename(copy), inside ? "" : ".",
             infix);
    snprintf(copy, sizeof copy, "%s", home);
    snprintf(folder, PLACE_SIZE, "%s", inside ? home : dirname(copy));
}

/* Removes slashes at the end; follows a link, which would be exchanged itself, and a name such as
 * "..". */
static void settle(char home[PLACE_SIZE])
{
    struct stat st;
    char copy[PLACE_SIZE], *whole = NULL;
    for (size_t n = strlen(home); n > 1 && home[n - 1] == '/'; n--) home[n - 1] = '\0';
    snprintf(copy, sizeof copy, "%s", home);
    const char *last = basename(copy);
    const bool named = strcmp(last, ".") != 0 && strcmp(last, "..") != 0 && *last != '/';
    if (!named || (lstat(home, &st) == 0 && S_ISLNK(st.st_mode))) whole = realpath(home, NULL);
    if (whole && strlen(whole) < PLACE_SIZE) snprintf(home, PLACE_SIZE, "%s", whole);
    free(whole);
}

/* ---- Existing runs --------------------------------------------------------------------------- */

static json_t *machine_of(const char *folder)
{
    struct error none;
    json_t *machine = NULL;
    record_read_machine(folder, &machine, &none);
    return machine;
}

struct found {
    const char *path, *run; /* the run that its name says */
    json_t *machine;        /* NULL where it has none */
};

/* Returns whether it is the run that it was made for, and not the one that this replaced. */
static bool is_growing(const struct found *f)
{
    return f->machine && !strcmp(record_text(f->machine, "run"), f->run);
}

/* Visits the folders next to `home`. */
static int each(const char *home, int (*visit)(const struct found *, void *, struct error *),
                void *context, struct error *e)
{
    int code = 0;
    for (int inside = 0; inside < 2; inside++) {
        char folder[PLACE_SIZE], begin[PLACE_SIZE], path[PATH_ROOM];
        beginning(home, inside, folder, begin);
        DIR *all = opendir(folder);
        for (const struct dirent *d; !code && all && (d = readdir(all));) {
            if (strncmp(d->d_name, begin, strlen(begin)) != 0) continue;
            snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
            struct found f = {path, d->d_name + strlen(begin), machine_of(path)};
            code = visit(&f, context, e);
            json_decref(f.machine);
        }
        if (all) closedir(all);
    }
    return code;
}

/* ---- Removing a run -------------------------------------------------------------------------- */

/* The other files that a run and its reports write anew; machine.json is not among them. */
static const char others[] =
    "log_softmax.jsonl " RECORD_ARCHIVE " summary.json report.md report.html vector-math.html";

static bool is_of_run(const char *name)
{
    const size_t length = strlen(name);
    return record_run_writes(name) || list_has(others, ' ', name) ||
           !strcmp(name, "machine.json") || (length > 4 && !strcmp(name + length - 4, ".tmp"));
}

static void remove_files(const char *path)
{
    DIR *all = opendir(path);
    for (const struct dirent *d; all && (d = readdir(all));) unlinkat(dirfd(all), d->d_name, 0);
    if (all) closedir(all);
    rmdir(path);
}

static void dispose_entry(const char *path, const char *home, const char *name)
{
    char from[PATH_ROOM], to[PATH_ROOM];
    snprintf(from, sizeof from, "%s/%s", path, name);
    snprintf(to, sizeof to, "%s/%s", home, name);
    const bool there = access(to, F_OK) == 0;
    if (is_of_run(name))
        unlink(from);
    else if (!there)
        rename(from, to);
    else if (record_outlives(name) && unlink(from) != 0)
        remove_files(from);
}

/* Removes a run. What is not of one is moved to `home`, or stays where it cannot be. */
static void dispose(const char *path, const char *home)
{
    DIR *all = opendir(path);
    for (const struct dirent *d; all && (d = readdir(all));)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            dispose_entry(path, home, d->d_name);
    if (all) closedir(all);
    rmdir(path);
}

static int dispose_found(const struct found *f, void *home, struct error *e)
{
    (void)e;
    dispose(f->path, home);
    return 0;
}

/* ---- The exchange ---------------------------------------------------------------------------- */

static bool says(const char *path, const char *run)
{
    char text[1 << 12] = "", want[RUN_ID_SIZE + 16];
    FILE *in = file_open(path);
    const size_t size = in ? fread(text, 1, sizeof text, in) : 0;
    if (in) fclose(in);
    snprintf(want, sizeof want, "\"run_id\":\"%s\"", run);
    return memmem(text, size, want, strlen(want)) != NULL;
}

/* Renames a file of the run, or removes what an older run left in its place. */
static bool move_file(const struct run_place *p, const char *name, bool removes)
{
    char from[PATH_ROOM], to[PATH_ROOM];
    snprintf(from, sizeof from, "%s/%s", p->grows, name);
    snprintf(to, sizeof to, "%s/%s", p->home, name);
    if (rename(from, to) == 0) return true;
    if (errno != ENOENT) return false;
    return !removes || unlink(to) == 0 || errno == ENOENT;
}

/* Moves the files into a place whose folder cannot be exchanged. Meanwhile a reader finds records
 * and machine.json of two runs, and refuses them; if this process is killed, the next run completes
 * the move. */
static int move_files(const struct run_place *p, struct error *e)
{
    json_t *machine = machine_of(p->grows);
    bool good = true;
    for (const struct result_file *f = result_files; good && f->name; f++) {
        char there[PATH_ROOM];
        if (!f->of_run) continue;
        snprintf(there, sizeof there, "%s/%s", p->home, f->name);
        good = move_file(p, f->name, !says(there, record_text(machine, "run")));
    }
    char *names = memory_copy(others), *save = NULL;
    for (char *name = strtok_r(names, " ", &save); good && name; name = strtok_r(NULL, " ", &save))
        good = move_file(p, name, !strcmp(name, RECORD_ARCHIVE));
    free(names);
    good = good && move_file(p, "machine.json", false);
    json_decref(machine);
    return good ? 0 : file_cannot(e, "write", p->home, "free some space, then --resume");
}

/* Returns whether errno says that this file system cannot exchange files. */
static bool cannot_exchange(void)
{
    static const int errors[] = {EINVAL, ENOSYS, ENOTSUP, EXDEV, EBUSY, EACCES, EPERM};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errno == errors[i]) return true;
    return false;
}

int run_place_take(struct run_place *p, struct error *e)
{
    struct error none;
    if (!strcmp(p->grows, p->home)) return 0;
    if (folder_exchange(p->grows, p->home) != 0) {
        if (!cannot_exchange())
            return file_cannot(e, "write", p->home,
                               "the new run is complete: --resume puts it there");
        int code = move_files(p, e);
        if (code) return code;
    }
    dispose(p->grows, p->home);
    snprintf(p->grows, sizeof p->grows, "%s", p->home);
    return each(p->home, dispose_found, p->home, &none);
}

/* ---- Choosing a place ------------------------------------------------------------------------ */

static int tidy(const struct found *f, void *context, struct error *e)
{
    struct run_place *p = context;
    if (!is_growing(f)) {
        dispose(f->path, p->home);
        return 0;
    }
    if (record_run_is_cut(f->machine)) return 0;
    snprintf(p->grows, sizeof p->grows, "%s", f->path);
    return run_place_take(p, e);
}

int run_place_open(struct run_place *p, const char *home, struct error *e)
{
    *p = (struct run_place){.lock = -1, .beside = -1};
    snprintf(p->home, sizeof p->home, "%s", home);
    int code = folder_make(p->home, e);
    settle(p->home);
    if (!code) code = folder_lock(p->home, &p->lock, e);
    if (!code) code = each(p->home, tidy, p, e);
    snprintf(p->grows, sizeof p->grows, "%s", p->home);
    return code;
}

void run_place_close(struct run_place *p)
{
    folder_unlock(p->beside);
    folder_unlock(p->lock);
}

/* Removes records without machine.json: they are no run's, and would be taken for the new one's. */
static void remove_strays(const struct run_place *p)
{
    char path[PATH_ROOM];
    for (const struct result_file *f = result_files; f->name; f++) {
        snprintf(path, sizeof path, "%s/%s", p->home, f->name);
        if (f->of_run) unlink(path);
    }
}

/* Makes the folder beside the place, on the same disk: otherwise an exchange would be copying. */
static bool make_beside(struct run_place *p, const char *run, bool inside)
{
    char folder[PLACE_SIZE], begin[PLACE_SIZE];
    struct stat own, other;
    beginning(p->home, inside, folder, begin);
    if (stat(p->home, &own) != 0 || stat(folder, &other) != 0 || own.st_dev != other.st_dev)
        return false;
    const int length = snprintf(p->grows, sizeof p->grows, "%s/%s%s", folder, begin, run);
    return length < PLACE_SIZE && mkdir(p->grows, 0777) == 0;
}

int run_place_begin(struct run_place *p, const char *run, struct error *e)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/machine.json", p->home);
    if (access(path, F_OK) != 0) return remove_strays(p), 0;
    if (!make_beside(p, run, false) && !make_beside(p, run, true))
        return file_cannot(e, "write", p->grows, "choose another folder with --out");
    return folder_lock(p->grows, &p->beside, e);
}

struct choice {
    bool (*is_mine)(const json_t *machine, const void *context);
    const void *context;
    char path[PLACE_SIZE], started[32];
};

static int run_place_choose(const struct found *f, void *context, struct error *e)
{
    struct choice *c = context;
    (void)e;
    const char *started = record_text(f->machine, "started");
    if (!is_growing(f) || !c->is_mine(f->machine, c->context)) return 0;
    if (*c->path && strcmp(started, c->started) <= 0) return 0;
    snprintf(c->path, sizeof c->path, "%s", f->path);
    snprintf(c->started, sizeof c->started, "%s", started);
    return 0;
}

/* Writes the folder of the newest run for which `is_mine` is true: one beside `home`, else its own.
 */
static bool run_place_find_run(const char *home, bool (*is_mine)(const json_t *, const void *),
                               const void *context, char path[PLACE_SIZE])
{
    struct choice c = {.is_mine = is_mine, .context = context};
    struct error none;
    json_t *machine = machine_of(home);
    const bool own = machine && is_mine(machine, context);
    json_decref(machine);
    each(home, run_place_choose, &c, &none);
    snprintf(path, PLACE_SIZE, "%s", *c.path ? c.path : home);
    return *c.path || own;
}

json_t *run_place_machine(const char *folder, bool (*is_mine)(const json_t *, const void *),
                          const void *context)
{
    char home[PLACE_SIZE], path[PLACE_SIZE];
    snprintf(home, sizeof home, "%s", folder);
    settle(home);
    return run_place_find_run(home, is_mine, context, path) ? machine_of(path) : NULL;
}

bool run_place_resume(struct run_place *p, bool (*is_mine)(const json_t *, const void *),
                      const void *context)
{
    struct error none;
    if (!run_place_find_run(p->home, is_mine, context, p->grows)) return false;
    return !strcmp(p->grows, p->home) || folder_lock(p->grows, &p->beside, &none) == 0;
}

int run_place_carry(const struct run_place *p, struct error *e)
{
    return strcmp(p->grows, p->home) ? record_outliving_copy(p->home, p->grows, e) : 0;
}

/* ---- Notes for readers ----------------------------------------------------------------------- */

static int note_found(const struct found *f, void *home, struct error *e)
{
    (void)e;
    if (is_growing(f))
        note("%s: a newer run, begun %s, did not end: it is in %s; 'ulplab run --resume --out %s' "
             "goes on with it",
             (const char *)home, record_text(f->machine, "started"), f->path, (const char *)home);
    return 0;
}

/* Writes the folder that a run will replace: its own folder, unless it grows next to or inside the
 * older one. */
static void run_place_of(const char *folder, char place[PLACE_SIZE])
{
    snprintf(place, PLACE_SIZE, "%s", folder);
    char *slash = strrchr(place, '/'), *name = slash ? slash + 1 : place;
    char *end = *name == '.' ? strstr(name, infix) : NULL;
    if (!end || end[-1] != '.') return;
    end[-1] = '\0';
    if (*name)
        memmove(name, name + 1, strlen(name));
    else
        snprintf(name, PLACE_SIZE - (size_t)(name - place), ".");
}

void run_place_note(const char *folder)
{
    struct error none;
    char home[PLACE_SIZE], place[PLACE_SIZE];
    run_place_of(folder, place);
    snprintf(home, sizeof home, "%s", folder);
    settle(home);
    json_t *machine = machine_of(home);
    if (machine && record_run_is_cut(machine))
        note("%s: this run, begun %s, did not end; 'ulplab run --resume --out %s' goes on with it",
             home, record_text(machine, "started"), place);
    json_decref(machine);
    each(home, note_found, home, &none);
}
