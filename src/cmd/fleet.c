// SPDX-License-Identifier: MIT
/* A fleet: one task of `ulplab run` per type of node, on Slurm (docs/fleet.md). */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cmd/common.h"
#include "cmd/options.h"
#include "model/record.h"
#include "model/registry.h"
#include "publish/archive/archive.h"
#include "publish/db/db.h"
#include "publish/db/columns.h"
#include "publish/render/rows.h"
#include "publish/site/machines.h"
#include "publish/sql/facts.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"

enum { FLEET_TYPES_MAX = 1024, PATH_ROOM = 1100, JOB_NAME = 40 };

/* The types of nodes are rows of a database in memory (publish/sql/fleet.sql). */
struct fleet {
    char folder[900];
    bool by_partition;
    struct lab_db l;
};

static void fleet_free(struct fleet *f)
{
    lab_close(&f->l);
}

/* last_line(path): NULL where there is no such file. */
static void fleet_last_line(sqlite3_context *c, int count, sqlite3_value **values)
{
    char *line = NULL;
    size_t room = 0;
    (void)count;
    FILE *in = fopen((const char *)sqlite3_value_text(values[0]), "re");
    if (!in) return;
    sqlite3_result_text(c, "", -1, SQLITE_STATIC);
    while (getline(&line, &room, in) > 0)
        sqlite3_result_text(c, line, (int)strcspn(line, "\n"), SQLITE_TRANSIENT);
    free(line);
    fclose(in);
}

/* Replaces the table `lines` by the lines of a stream. */
static int take_lines(const struct fleet *f, FILE *in, struct error *e)
{
    sqlite3_stmt *s = NULL;
    char *line = NULL;
    size_t room = 0;
    int code = lab_execute(&f->l, "DELETE FROM lines", e);
    if (!code) code = lab_prepare(&f->l, "INSERT INTO lines VALUES(?)", &s, e);
    while (!code && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        lab_bind(s, "t", line);
        code = lab_step(&f->l, s, e);
    }
    sqlite3_finalize(s);
    free(line);
    return code;
}

/* Opens the fleet of a folder with the types of FOLDER/types. *planned: whether that can be
 * read. */
static int fleet_open(struct fleet *f, const struct options *o, bool *planned, struct error *e)
{
    char path[PATH_ROOM];
    *f = (struct fleet){.by_partition = false};
    snprintf(f->folder, sizeof f->folder, "%s", o->out);
    snprintf(path, sizeof path, "%s/types", o->out);
    int code = lab_connect(&f->l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    sqlite3_create_function(f->l.db, "last_line", 1, SQLITE_UTF8, NULL, fleet_last_line, NULL,
                            NULL);
    FILE *in = fopen(path, "re");
    *planned = in != NULL;
    code = lab_execute(&f->l, sql_fleet, e);
    if (!code && in) code = take_lines(f, in, e);
    if (!code && in) code = lab_execute(&f->l, sql_fleet_types, e);
    if (in) fclose(in);
    f->by_partition = lab_number(&f->l, "SELECT max(way = 'partition') FROM types") > 0;
    if (code) fleet_free(f);
    return code;
}

/* Reads FOLDER/types. EXIT_BAD_INPUT if there is none. */
static int fleet_read(struct fleet *f, const struct options *o, struct error *e)
{
    char path[PATH_ROOM];
    bool planned;
    int code = fleet_open(f, o, &planned, e);
    if (code || planned) return code;
    snprintf(path, sizeof path, "%s/types", o->out);
    code = file_cannot(e, "read", path, "'ulplab fleet plan' creates it");
    fleet_free(f);
    return code;
}

static int write_types(const struct fleet *f, struct error *e)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/types", f->folder);
    char *text = lab_text(&f->l, "SELECT group_concat(line, '') FROM type_lines", e);
    const int code = text ? file_write_atomic(path, text, strlen(text), e) : EXIT_BAD_INPUT;
    free(text);
    return code;
}

/* ---- Slurm ---------------------------------------------------------------------------------- */

/* A fleet's calls of Slurm's own commands, by their documented formats. */

/* Takes the lines that a command prints; EXIT_PARTIAL where it failed. */
static int slurm_lines(const struct fleet *f, const char *command, struct error *e)
{
    FILE *in = popen(command, "re");
    const int code = in ? take_lines(f, in, e) : 0;
    int status = in ? pclose(in) : -1;
    if (code || status == 0) return code;
    return fail(e, EXIT_PARTIAL,
                "fleet: %.60s: it failed (status %d); check that Slurm's commands are installed "
                "and its controller answers, or run job.sh by hand",
                command, WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

/* Makes the folder's path absolute, so that it means the same from everywhere. */
static void absolute(const char *folder, char path[PATH_ROOM])
{
    char *whole = realpath(folder, NULL);
    snprintf(path, PATH_ROOM, "%s", whole ? whole : folder);
    free(whole);
}

/* Writes the name of the fleet's jobs. */
static void slurm_job_name(const struct fleet *f, char name[JOB_NAME])
{
    char path[PATH_ROOM];
    absolute(f->folder, path);
    unsigned long long hash = hash_bytes(HASH_BASIS, path, strlen(path));
    snprintf(name, JOB_NAME, "ulplab-%016llx", hash);
}

/* Asks for the nodes, and adds the types that are new. */
static int ask_nodes(const struct fleet *f, struct error *e)
{
    const char *way = f->by_partition ? "partition" : "feature";
    int code = slurm_lines(f,
                           f->by_partition ? "sinfo -h -N -o '%P %N' | sort -u"
                                           : "sinfo -h -N -o '%f %N' | sort -u",
                           e);
    return code ? code : lab_run(&f->l, e, sql_fleet_nodes, "ti", way, (int64_t)FLEET_TYPES_MAX);
}

/* ---- What the nodes run ---------------------------------------------------------------------- */

/* scripts/fleet/job.sh, embedded by fleet_job.S; it ends with no NUL. */
extern const char fleet_job[];
extern const size_t fleet_job_size;

static int write_program(const char *path, const char *text, size_t size, struct error *e)
{
    int code = file_write_atomic(path, text, size, e);
    return code || chmod(path, 0755) == 0 ? code
                                          : file_cannot(e, "write", path, "choose another folder");
}

/* Copies this program: one for all types, also for those that are added later. */
static int copy_program(const struct fleet *f, struct error *e)
{
    static const char own[] = "/proc/self/exe";
    char folder[PATH_ROOM], path[PATH_ROOM + 10], *text = NULL;
    size_t size = 0;
    snprintf(folder, sizeof folder, "%s/bin", f->folder);
    snprintf(path, sizeof path, "%s/ulplab", folder);
    if (access(path, X_OK) == 0) return 0;
    int code = folder_make(folder, e);
    if (!code) code = file_read(own, 1 << 30, &text, &size, e);
    if (!code && !text) code = file_cannot(e, "read", own, "check that /proc is mounted");
    if (!code) code = write_program(path, text, size, e);
    free(text);
    return code;
}

/* Writes the options of `ulplab run`, a word a line. */
static int write_options(const struct fleet *f, const struct options *o, struct error *e)
{
    char path[PATH_ROOM], *text = NULL, *planned;
    size_t size = 0, planned_size;
    snprintf(path, sizeof path, "%s/options", f->folder);
    FILE *out = memory_text(&text, &size);
    if (o->quick) fputs("--quick\n", out);
    if (o->full) fputs("--full\n", out);
    if (o->hide_isa) fprintf(out, "--hide-isa=%s\n", o->hide_isa);
    for (size_t i = 0; i < o->filters.count; i++)
        fprintf(out, "--filter\n%s\n", o->filters.items[i]);
    memory_text_close(out);
    /* An earlier plan's must be the same: all types are measured alike. */
    int code = file_read(path, 1 << 20, &planned, &planned_size, e);
    if (!code && !planned)
        code = file_write_atomic(path, text, size, e);
    else if (!code && *text && strcmp(planned, text) != 0)
        code =
            fail(e, EXIT_USAGE, "fleet: %s: planned with other options; take another folder", path);
    free(planned);
    free(text);
    return code;
}

/* Gets the types of nodes from sinfo and writes the folder: types, options, bin/, job.sh. The
 * folder of an existing fleet keeps its files; new types are added at the end. */
static int fleet_plan(struct fleet *f, const struct options *o, struct error *e)
{
    char logs[PATH_ROOM], job[PATH_ROOM];
    const bool by_partition = o->nodes_by && !strcmp(o->nodes_by, "partition");
    bool planned;
    int code = fleet_open(f, o, &planned, e);
    if (code) return code;
    if (!lab_number(&f->l, "SELECT count(*) FROM types")) f->by_partition = by_partition;
    if (o->nodes_by && by_partition != f->by_partition)
        code = fail(e, EXIT_USAGE, "fleet: %s: planned by %s; take another folder", f->folder,
                    f->by_partition ? "partition" : "feature");
    snprintf(logs, sizeof logs, "%s/logs", f->folder);
    snprintf(job, sizeof job, "%s/job.sh", f->folder);
    if (!code) code = ask_nodes(f, e);
    if (!code) code = folder_make(logs, e);
    if (!code) code = copy_program(f, e);
    if (!code) code = write_options(f, o, e);
    if (!code) code = write_program(job, fleet_job, fleet_job_size, e);
    if (!code) code = write_types(f, e);
    if (code) fleet_free(f);
    return code;
}

/* ---- States ---------------------------------------------------------------------------------- */

/* Fills in the states, from the folder and from squeue. */
static int fleet_look(const struct fleet *f, struct error *e)
{
    char name[JOB_NAME], command[200];
    slurm_job_name(f, name);
    snprintf(command, sizeof command, "squeue -h -r -n %s -o '%%K %%T'", name);
    /* Without Slurm the job script is run by hand, and only the folder shows its progress. */
    int code = lab_execute(&f->l, "DELETE FROM lines", e);
    if (!code && system("command -v squeue >/dev/null 2>&1") == 0)
        code = slurm_lines(f, command, e);
    return code ? code : lab_run(&f->l, e, sql_fleet_states, "t", f->folder);
}

/* ---- Submission ------------------------------------------------------------------------------ */

/* Writes the nodes that a task must not run on, and submits it. */
static int submit_type(const struct fleet *f, const char *folder, sqlite3_stmt *task,
                       struct error *e)
{
    char path[PATH_ROOM + 100];
    const char *name = column_text(task, 0), *excluded = column_text(task, 1);
    int code = 0;
    snprintf(path, sizeof path, "%s/exclude", folder);
    if (*excluded) code = folder_make(path, e);
    snprintf(path, sizeof path, "%s/exclude/%s", folder, name);
    if (!code && *excluded) code = file_write_atomic(path, excluded, strlen(excluded), e);
    return code ? code : slurm_lines(f, column_text(task, 2), e);
}

/* Submits a task for each type that is neither done nor queued. *submitted: their number. */
static int fleet_submit(const struct fleet *f, int64_t *submitted, struct error *e)
{
    char path[PATH_ROOM], folder[PATH_ROOM], name[JOB_NAME];
    sqlite3_stmt *task = NULL;
    *submitted = 0;
    absolute(f->folder, folder);
    slurm_job_name(f, name);
    if (strchr(folder, '\''))
        return fail(e, EXIT_USAGE, "fleet: %s: a quote in its name; take another folder", folder);
    snprintf(path, sizeof path, "%s/lock", f->folder);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) return file_cannot(e, "write", path, "choose another folder");
    while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue; /* one process submits at a time */
    int code = fleet_look(f, e);
    if (!code) code = lab_prepare(&f->l, sql_fleet_tasks, &task, e);
    if (!code) lab_bind(task, "tt", folder, name);
    while (!code && sqlite3_step(task) == SQLITE_ROW) {
        code = submit_type(f, folder, task, e);
        *submitted += !code;
    }
    sqlite3_finalize(task);
    close(lock);
    return code;
}

/* ---- The actions ----------------------------------------------------------------------------- */

static int fleet_show(const struct fleet *f, const struct options *o, struct error *e)
{
    if (o->quiet && !o->json) return 0;
    return print_query(o, &f->l, sql_fleet_document, sql_fleet_text, e);
}

static int show_states(struct fleet *f, const struct options *o, struct error *e)
{
    int code = fleet_look(f, e);
    return code ? code : fleet_show(f, o, e);
}

/* Notes the ISAs that this CPU lacks and that were not built for this reason: nodes may have them.
 */
static int tell_absent_isas(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct absences a;
    size_t count = 0;
    int code = cpu_detect(&cpu, NULL, e);
    if (!code) code = absences_open(&a, &cpu, o->filters.items, o->filters.count, e);
    if (code) return code;
    for (size_t i = 0; i < a.count; i++) count += a.variants[i].status == STATUS_SKIPPED;
    if (count && !o->quiet)
        fprintf(stderr,
                "ulplab: fleet: %zu variants for ISAs that this CPU lacks are not built, and will "
                "not be measured on nodes with these ISAs; 'make' builds them\n",
                count);
    absences_close(&a);
    return 0;
}

static int submit(struct fleet *f, const struct options *o, struct error *e)
{
    int64_t submitted = 0;
    int code = tell_absent_isas(o, e);
    if (!code) code = fleet_submit(f, &submitted, e);
    if (!code) code = lab_run(&f->l, e, "INSERT INTO submitted VALUES(?)", "i", submitted);
    if (!code && o->json) return fleet_show(f, o, e);
    if (!code && !o->quiet)
        printf("%d of %d types submitted; the others are done, queued or have no nodes\n",
               (int)submitted, (int)lab_number(&f->l, "SELECT count(*) FROM types"));
    return code;
}

/* Lists the folders of finished results, whose names *found holds. */
static int list_done(const struct fleet *f, struct strings *done, json_t **found, struct error *e)
{
    static const char sql[] =
        "SELECT 0 AS done, name FROM types WHERE state = 'done' ORDER BY place";
    json_t *type;
    size_t i;
    done->count = 0;
    *found = rows_document(&f->l, sql, e);
    json_array_foreach(json_object_get(*found, "done"), i, type)
    {
        json_object_set_new(type, "folder",
                            json_sprintf("%s/results/%s", f->folder, record_text(type, "name")));
        done->items[done->count++] = record_text(type, "folder");
    }
    return *found ? 0 : EXIT_BAD_INPUT;
}

/* Adds the folders of results to the archive, and writes their comparison if there are several. */
static int fleet_gather(const struct fleet *f, const struct options *o, const struct strings *done,
                        struct error *e)
{
    enum { COMPARED_MAX = 16 };
    char path[1000];
    struct strings kept;
    struct archive_outcome outcome;
    struct lab_db l;
    struct machines m;
    snprintf(path, sizeof path, "%s/lab.db", f->folder);
    int code = keep_result_folders("fleet", false, done, &kept, e);
    if (!code) code = db_open(&l, o->to ? o->to : path, LAB_WRITE, e);
    if (code) return code;
    for (size_t i = 0; i < kept.count && !code; i++)
        code = archive_add(&l, kept.items[i], &outcome, e);
    lab_close(&l);
    if (code || kept.count < 2) return code;
    const struct machines_request q = {.places = kept.items,
                                       .count =
                                           kept.count < COMPARED_MAX ? kept.count : COMPARED_MAX,
                                       .filters = o->filters.items,
                                       .filter_count = o->filters.count,
                                       .bar = advice_bar};
    snprintf(path, sizeof path, "%s/performance.md", f->folder);
    code = machines_open(&q, &m, e);
    if (code) return code;
    code = machines_write_text(&m, path, e);
    lab_close(&m.l);
    return code;
}

static int fleet_collect(struct fleet *f, const struct options *o, struct error *e)
{
    struct strings done;
    json_t *found = NULL;
    int code = fleet_look(f, e);
    if (!code) code = list_done(f, &done, &found, e);
    if (!code) code = fleet_gather(f, o, &done, e);
    json_decref(found);
    if (!code) code = fleet_show(f, o, e);
    return code ? code : judge_gate(&f->l, e);
}

/* Refuses options that would be ignored: a plan does not change, and status measures nothing. */
static int refuse_ignored(const char *action, const struct options *o, struct error *e)
{
    static const struct {
        const char *option, *actions;
    } rules[] = {{"quick", "plan submit"},    {"full", "plan submit"},
                 {"hide-isa", "plan submit"}, {"nodes-by", "plan submit"},
                 {"to", "collect"},           {"filter", "plan submit collect"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (option_given(o, rules[i].option) && !strstr(rules[i].actions, action))
            return fail(e, EXIT_USAGE, "fleet %s: --%s: only %s takes it; leave it out", action,
                        rules[i].option, rules[i].actions);
    return 0;
}

int cmd_fleet(const struct options *o, struct error *e)
{
    static const struct {
        const char *name;
        int (*open)(struct fleet *, const struct options *, struct error *);
        int (*run)(struct fleet *, const struct options *, struct error *);
    } actions[] = {{"plan", fleet_plan, show_states},
                   {"submit", fleet_plan, submit},
                   {"status", fleet_read, show_states},
                   {"collect", fleet_read, fleet_collect}};
    const char *what = o->positional.count == 1 ? o->positional.items[0] : "";
    if (!o->out)
        return fail(e, EXIT_USAGE, "fleet: --out: missing; name the shared folder: --out DIR");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        struct fleet f;
        if (strcmp(actions[i].name, what) != 0) continue;
        int code = refuse_ignored(what, o, e);
        if (!code) code = actions[i].open(&f, o, e);
        if (code) return code;
        code = actions[i].run(&f, o, e);
        fleet_free(&f);
        return code;
    }
    return fail(e, EXIT_USAGE,
                "fleet: '%s': not plan, submit, status or collect; see 'ulplab fleet --help'",
                what);
}
