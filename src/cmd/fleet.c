// SPDX-License-Identifier: MIT
/* A fleet: one task of `ulplab run` per type of node, on Slurm (docs/fleet.md). */
#include <ctype.h>
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
#include "publish/render/table.h"
#include "publish/site/machines.h"
#include "publish/sql/facts.h"

enum { FLEET_TYPES_MAX = 1024, FLEET_NAME = 64, FLEET_SELECT = 512 };
/* The word for the features of nodes that have none. */
#define FLEET_NO_FEATURES "-"

enum fleet_state { FLEET_MISSING, FLEET_WAITING, FLEET_RUNNING, FLEET_DONE };

struct fleet_type {
    char name[FLEET_NAME];     /* the type's name, which can be a file's */
    char select[FLEET_SELECT]; /* its nodes' features, joined by &, or the partition */
    size_t nodes;
    enum fleet_state state;
    char last[200]; /* the last line of its state file; "" */
};

struct fleet {
    char folder[900];
    bool by_partition;
    struct fleet_type *types;
    size_t count;
};

enum { PATH_ROOM = 1100, COMMAND_MAX = 8000 };

/* ---- The file of types: NAME, how to select its nodes, how many, tab-separated --------------- */

static int add_type(struct fleet *f, const struct fleet_type *t, struct error *e)
{
    if (f->count == FLEET_TYPES_MAX)
        return fail(e, EXIT_USAGE, "fleet: more than %d types of nodes; plan by partition",
                    FLEET_TYPES_MAX);
    f->types[f->count++] = *t;
    return 0;
}

static void fleet_free(struct fleet *f)
{
    free(f->types);
    f->types = NULL;
    f->count = 0;
}

/* Reads FOLDER/types. EXIT_BAD_INPUT if there is none. */
static int fleet_read(struct fleet *f, const struct options *o, struct error *e)
{
    char path[PATH_ROOM], line[FLEET_SELECT + 200], by[16] = "";
    *f = (struct fleet){.types = calloc(FLEET_TYPES_MAX, sizeof *f->types)};
    snprintf(f->folder, sizeof f->folder, "%s", o->out);
    snprintf(path, sizeof path, "%s/types", o->out);
    FILE *in = f->types ? fopen(path, "re") : NULL;
    if (!in) {
        fleet_free(f);
        return file_cannot(e, "read", path, "'ulplab fleet plan' makes it");
    }
    int code = 0;
    while (!code && fgets(line, sizeof line, in)) {
        struct fleet_type t = {.state = FLEET_MISSING};
        if (sscanf(line, "%63[^\t]\t%511[^\t]\t%zu\t%15s", t.name, t.select, &t.nodes, by) == 4)
            code = add_type(f, &t, e);
    }
    f->by_partition = !strcmp(by, "partition");
    fclose(in);
    if (code) fleet_free(f);
    return code;
}

static int write_types(const struct fleet *f, struct error *e)
{
    char path[PATH_ROOM], *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    snprintf(path, sizeof path, "%s/types", f->folder);
    for (size_t i = 0; i < f->count; i++)
        fprintf(out, "%s\t%s\t%zu\t%s\n", f->types[i].name, f->types[i].select, f->types[i].nodes,
                f->by_partition ? "partition" : "feature");
    memory_text_close(out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

/* ---- Slurm ---------------------------------------------------------------------------------- */

/* A fleet's calls of Slurm's own commands, by their documented formats. */

/* Passes the first column of each line that a command prints to `take`; EXIT_PARTIAL where the
 * command failed. */
static int slurm_lines(const char *command, int (*take)(void *context, char *line, struct error *e),
                       void *context, struct error *e)
{
    char line[1000];
    int code = 0;
    FILE *in = popen(command, "re");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (!code && take) code = take(context, line, e);
    }
    int status = in ? pclose(in) : -1;
    if (code || status == 0) return code;
    return fail(e, EXIT_PARTIAL,
                "fleet: %.60s: it failed (status %d); see that Slurm's commands are here and its "
                "controller answers, or run job.sh by hand",
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
static void slurm_job_name(const struct fleet *f, char name[FLEET_NAME])
{
    char path[PATH_ROOM];
    absolute(f->folder, path);
    unsigned long long hash = hash_bytes(HASH_BASIS, path, strlen(path));
    snprintf(name, FLEET_NAME, "ulplab-%016llx", hash);
}

/* ---- What sinfo says ------------------------------------------------------------------------- */

/* Returns whether all features of `subset` are in `set`. Features are joined by & or a comma. */
static bool features_include(const char *set, const char *subset)
{
    static const char separators[] = "&,";
    if (!strcmp(subset, FLEET_NO_FEATURES)) return true;
    for (const char *f = subset; *f;) {
        size_t length = strcspn(f, separators);
        const char *at = set;
        while (*at && (strcspn(at, separators) != length || strncmp(at, f, length) != 0)) {
            at += strcspn(at, separators);
            at += *at != '\0';
        }
        if (!*at) return false;
        f += length;
        f += *f != '\0';
    }
    return true;
}

/* Returns whether these are the nodes of that type. The order of features does not matter. */
static bool is_type(const struct fleet *f, const struct fleet_type *t, const char *select)
{
    if (f->by_partition) return !strcmp(t->select, select);
    return features_include(t->select, select) && features_include(select, t->select);
}

/* Writes a name that can be a file's and that no other type has: other characters become '+', as in
 * zen4+bigmem. */
static void name_type(const struct fleet *f, const char *select, char name[FLEET_NAME])
{
    snprintf(name, FLEET_NAME, "%.50s",
             strcmp(select, FLEET_NO_FEATURES) != 0 ? select : "without-features");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '+';
    if (name[0] == '.') name[0] = '+';
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->types[i].name, name)) {
            size_t length = strlen(name);
            snprintf(name + length, FLEET_NAME - length, "+%zu", f->count);
            return;
        }
}

/* Takes one node: its features ("a,b", "(null)" for none) or its partition. */
static int take_node(void *fleet, char *line, struct error *e)
{
    struct fleet *f = fleet;
    struct fleet_type t = {.nodes = 1};
    line[strcspn(line, " \t*")] = '\0'; /* * marks the partition that is the default */
    if (!*line) return 0;
    if (strlen(line) >= sizeof t.select)
        return fail(
            e, EXIT_USAGE,
            "fleet: %.40s..: more than %zu bytes of features; plan with --nodes-by partition", line,
            sizeof t.select - 1);
    for (char *c = line; *c; c++)
        if (*c == ',') *c = '&';
    snprintf(t.select, sizeof t.select, "%s",
             strcmp(line, "(null)") != 0 ? line : FLEET_NO_FEATURES);
    for (size_t i = 0; i < f->count; i++)
        if (is_type(f, &f->types[i], t.select)) {
            f->types[i].nodes++;
            return 0;
        }
    name_type(f, t.select, t.name);
    return add_type(f, &t, e);
}

static int ask_nodes(struct fleet *f, struct error *e)
{
    for (size_t i = 0; i < f->count; i++) f->types[i].nodes = 0;
    int code = slurm_lines(f->by_partition ? "sinfo -h -N -o '%P %N' | sort -u"
                                           : "sinfo -h -N -o '%f %N' | sort -u",
                           take_node, f, e);
    if (!code && !f->count)
        code = fail(e, EXIT_USAGE, "fleet: sinfo lists no node; see that Slurm has some");
    return code;
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
    if (!code && !text) code = file_cannot(e, "read", own, "see that /proc is mounted");
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

/* Asks sinfo for the types of nodes and writes the folder: types, options, bin/, job.sh. A folder
 * that is a fleet's already keeps what it has; new types are added at the end. */
static int fleet_plan(struct fleet *f, const struct options *o, struct error *e)
{
    struct error none = {""};
    char logs[PATH_ROOM], job[PATH_ROOM];
    const bool by_partition = o->nodes_by && !strcmp(o->nodes_by, "partition");
    int code = 0;
    if (fleet_read(f, o, &none) != 0)
        *f = (struct fleet){.types = memory_zeroed(FLEET_TYPES_MAX, sizeof *f->types)};
    snprintf(f->folder, sizeof f->folder, "%s", o->out);
    if (!f->count) f->by_partition = by_partition;
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

/* Takes a line such as "3 RUNNING": an array task and its state. */
static int take_task(void *fleet, char *line, struct error *e)
{
    struct fleet *f = fleet;
    size_t index;
    char state[40];
    (void)e;
    if (sscanf(line, "%zu %39s", &index, state) == 2 && index < f->count)
        f->types[index].state = !strcmp(state, "RUNNING") ? FLEET_RUNNING : FLEET_WAITING;
    return 0;
}

static void read_last(const struct fleet *f, struct fleet_type *t)
{
    char path[PATH_ROOM], line[300];
    snprintf(path, sizeof path, "%s/state/%s", f->folder, t->name);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in))
        snprintf(t->last, sizeof t->last, "%.*s", (int)strcspn(line, "\n"), line);
    if (in) fclose(in);
}

static bool fleet_slurm_is_done(const struct fleet *f, const struct fleet_type *t)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/results/%s/machine.json", f->folder, t->name);
    return access(path, F_OK) == 0;
}

/* Fills in the states, from the folder and from squeue. */
static int fleet_look(struct fleet *f, struct error *e)
{
    char name[FLEET_NAME], command[200];
    slurm_job_name(f, name);
    snprintf(command, sizeof command, "squeue -h -r -n %s -o '%%K %%T'", name);
    /* Without Slurm the job script is run by hand, and only the folder shows its progress. */
    int code = system("command -v squeue >/dev/null 2>&1") == 0
                   ? slurm_lines(command, take_task, f, e)
                   : 0;
    for (size_t i = 0; i < f->count; i++) {
        read_last(f, &f->types[i]);
        if (fleet_slurm_is_done(f, &f->types[i])) f->types[i].state = FLEET_DONE;
    }
    return code;
}

/* ---- Submission ------------------------------------------------------------------------------ */

/* Nodes that a type's constraint selects, too, and that have more features. */
struct others {
    const struct fleet_type *type;
    FILE *out;
    size_t count;
};

static int take_other(void *others, char *line, struct error *e)
{
    struct others *o = others;
    char *node = strchr(line, ' ');
    (void)e;
    if (!node) return 0;
    *node++ = '\0';
    const char *features = strcmp(line, "(null)") != 0 ? line : FLEET_NO_FEATURES;
    if (!features_include(features, o->type->select) || features_include(o->type->select, features))
        return 0;
    fprintf(o->out, "%s\n", node);
    o->count++;
    return 0;
}

/* Writes the option by which sbatch selects a type's nodes and no others. A constraint names
 * features that a node must have, and cannot name those that it must not have: nodes of other types
 * are listed in a file. */
static int select_type(const struct fleet *f, const struct fleet_type *t, const char *folder,
                       char *option, size_t size, struct error *e)
{
    char path[PATH_ROOM + FLEET_NAME + 20], *text = NULL;
    size_t bytes = 0;
    if (f->by_partition) {
        snprintf(option, size, "--partition='%s'", t->select);
        return 0;
    }
    struct others o = {.type = t, .out = memory_text(&text, &bytes)};
    int code = slurm_lines("sinfo -h -N -o '%f %N' | sort -u", take_other, &o, e);
    memory_text_close(o.out);
    snprintf(path, sizeof path, "%s/exclude", folder);
    if (!code && o.count) code = folder_make(path, e);
    snprintf(path, sizeof path, "%s/exclude/%s", folder, t->name);
    if (!code && o.count) code = file_write_atomic(path, text, bytes, e);
    free(text);
    bool any = !strcmp(t->select, FLEET_NO_FEATURES);
    int used = any ? 0 : snprintf(option, size, "--constraint='%s' ", t->select);
    option[used] = '\0';
    if (o.count) snprintf(option + used, size - (size_t)used, "--exclude='%s'", path);
    return code;
}

/* Submits one array task, whose index is the type's line. */
static int submit_type(const struct fleet *f, size_t i, struct error *e)
{
    const struct fleet_type *t = &f->types[i];
    char command[COMMAND_MAX], folder[PATH_ROOM], name[FLEET_NAME];
    char selection[PATH_ROOM + FLEET_NAME + FLEET_SELECT + 100];
    absolute(f->folder, folder);
    slurm_job_name(f, name);
    if (strchr(folder, '\''))
        return fail(e, EXIT_USAGE, "fleet: %s: a quote in its name; take another folder", folder);
    int code = select_type(f, t, folder, selection, sizeof selection, e);
    if (code) return code;
    snprintf(command, sizeof command,
             "sbatch --parsable --requeue --exclusive --nodes=1 --open-mode=append --job-name=%s "
             "--array=%zu %s --output='%s/logs/%s' --chdir=/ '%s/job.sh' '%s'",
             name, i, selection, folder, t->name, folder, folder);
    return slurm_lines(command, NULL, NULL, e);
}

/* Submits a task for each type that is neither done nor queued. *submitted: their number. */
static int fleet_submit(struct fleet *f, size_t *submitted, struct error *e)
{
    char path[PATH_ROOM];
    *submitted = 0;
    snprintf(path, sizeof path, "%s/lock", f->folder);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) return file_cannot(e, "write", path, "choose another folder");
    while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue; /* one process submits at a time */
    int code = fleet_look(f, e);
    for (size_t i = 0; i < f->count && !code; i++) {
        if (f->types[i].state != FLEET_MISSING || !f->types[i].nodes) continue;
        code = submit_type(f, i, e);
        *submitted += !code;
    }
    close(lock);
    return code;
}

/* ---- The actions ----------------------------------------------------------------------------- */

static const char *state_name(enum fleet_state state)
{
    static const char *const names[] = {"missing", "waiting", "running", "done"};
    return names[state];
}

static void fleet_write_table(const struct fleet *f)
{
    static const struct column columns[] = {
        {"type", false, 0}, {"nodes", true, 0}, {"state", false, 0}, {"last", false, 0}};
    struct table table;
    table_begin(&table, columns, 4);
    for (size_t i = 0; i < f->count; i++) {
        const struct fleet_type *t = &f->types[i];
        char nodes[24];
        snprintf(nodes, sizeof nodes, "%zu", t->nodes);
        table_add(&table, t->state == FLEET_DONE ? TINT_GOOD : TINT_NONE,
                  (const char *const[]){t->name, nodes, state_name(t->state),
                                        t->last[0] ? t->last : "-"});
    }
    table_end(&table, stdout, terminal_of(stdout));
}

static json_t *types_json(const struct fleet *f)
{
    json_t *types = json_array();
    for (size_t i = 0; i < f->count; i++) {
        const struct fleet_type *t = &f->types[i];
        json_array_append_new(types, json_pack("{s:s, s:s, s:I, s:s, s:s}", "type", t->name,
                                               "select", t->select, "nodes", (json_int_t)t->nodes,
                                               "state", state_name(t->state), "last", t->last));
    }
    return types;
}

static int fleet_show(const struct fleet *f, const struct options *o, struct error *e)
{
    if (o->json)
        return record_print(json_pack("{s:i, s:o}", "schema", 1, "types", types_json(f)), e);
    if (!o->quiet) fleet_write_table(f);
    return 0;
}

static int show_states(struct fleet *f, const struct options *o, struct error *e)
{
    int code = fleet_look(f, e);
    return code ? code : fleet_show(f, o, e);
}

/* Notes the ISAs that this CPU lacks, and that were therefore not built: nodes may have them. */
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
                "ulplab: fleet: %zu variants for ISAs that this CPU lacks are not built, and nodes "
                "that have them are measured without; 'make' builds them\n",
                count);
    absences_close(&a);
    return 0;
}

static int submit(struct fleet *f, const struct options *o, struct error *e)
{
    size_t submitted = 0;
    int code = tell_absent_isas(o, e);
    if (!code) code = fleet_submit(f, &submitted, e);
    if (!code && o->json)
        return record_print(json_pack("{s:i, s:I, s:o}", "schema", 1, "submitted",
                                      (json_int_t)submitted, "types", types_json(f)),
                            e);
    if (!code && !o->quiet)
        printf("%zu of %zu types submitted; the others are done, queued or have no nodes\n",
               submitted, f->count);
    return code;
}

/* Adds the finished results to the archive, and writes the comparison if there are several. */
static int fleet_gather(const struct fleet *f, const char *to, const char *const *filters,
                        size_t filter_count, struct error *e)
{
    enum { COMPARED_MAX = 16 };
    static char folders[FLEET_TYPES_MAX][1000];
    struct strings done = {.count = 0}, kept;
    struct archive_outcome outcome;
    struct lab_db l;
    char path[1000];
    for (size_t i = 0; i < f->count; i++) {
        if (f->types[i].state != FLEET_DONE) continue;
        snprintf(folders[i], sizeof folders[i], "%s/results/%s", f->folder, f->types[i].name);
        done.items[done.count++] = folders[i];
    }
    int code = keep_result_folders("fleet", false, &done, &kept, e);
    if (!code) code = db_open(&l, to, LAB_WRITE, e);
    if (code) return code;
    for (size_t i = 0; i < kept.count && !code; i++)
        code = archive_add(&l, kept.items[i], &outcome, e);
    lab_close(&l);
    snprintf(path, sizeof path, "%s/performance.md", f->folder);
    if (code || kept.count < 2) return code;
    const struct machines_request q = {.places = kept.items,
                                       .count =
                                           kept.count < COMPARED_MAX ? kept.count : COMPARED_MAX,
                                       .filters = filters,
                                       .filter_count = filter_count,
                                       .bar = advice_bar};
    struct machines m;
    code = machines_open(&q, &m, e);
    if (code) return code;
    code = machines_write_text(&m, path, e);
    lab_close(&m.l);
    return code;
}

static int fleet_collect(struct fleet *f, const struct options *o, struct error *e)
{
    char to[1000];
    size_t missing = 0;
    const struct fleet_type *first = NULL;
    snprintf(to, sizeof to, "%s/lab.db", o->out);
    int code = fleet_look(f, e);
    if (!code) code = fleet_gather(f, o->to ? o->to : to, o->filters.items, o->filters.count, e);
    if (!code) code = fleet_show(f, o, e);
    for (size_t i = 0; i < f->count; i++) {
        if (f->types[i].state == FLEET_DONE) continue;
        if (!missing++) first = &f->types[i];
    }
    if (code || !missing) return code;
    return fail(e, EXIT_PARTIAL,
                "fleet: %zu of %zu types are missing: %s is %s (%s); 'ulplab fleet submit' submits "
                "what is missing",
                missing, f->count, first->name, state_name(first->state),
                first->last[0] ? first->last : "it never ran");
}

/* Refuses options that would be ignored: what is planned stays planned, and showing it measures
 * nothing. */
static int refuse_ignored(const char *action, const struct options *o, struct error *e)
{
    static const struct {
        const char *option, *actions;
    } rules[] = {{"quick", "plan submit"},    {"full", "plan submit"},
                 {"hide-isa", "plan submit"}, {"nodes-by", "plan submit"},
                 {"to", "collect"},           {"filter", "plan submit collect"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (option_given(o, rules[i].option) && !strstr(rules[i].actions, action))
            return fail(e, EXIT_USAGE, "fleet %s: --%s: it is for %s; leave it out", action,
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
                "fleet: '%s': none of plan, submit, status, collect; see 'ulplab fleet --help'",
                what);
}
