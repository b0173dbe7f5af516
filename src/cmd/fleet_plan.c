// SPDX-License-Identifier: MIT
/* The folder of a fleet: which types of nodes there are, and what they run. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmd/fleet.h"

enum { PATH_ROOM = 1100 };

/* ---- The file of types: NAME, how to select its nodes, how many, tab-separated --------------- */

static int add_type(struct fleet *f, const struct fleet_type *t, struct error *e)
{
    if (f->count == FLEET_TYPES_MAX)
        return fail(e, EXIT_USAGE, "fleet: more than %d types of nodes; plan by partition",
                    FLEET_TYPES_MAX);
    f->types[f->count++] = *t;
    return 0;
}

int fleet_read(struct fleet *f, const char *folder, struct error *e)
{
    char path[PATH_ROOM], line[FLEET_SELECT + 200], by[16] = "";
    *f = (struct fleet){.types = calloc(FLEET_TYPES_MAX, sizeof *f->types)};
    snprintf(f->folder, sizeof f->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/types", folder);
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

void fleet_free(struct fleet *f)
{
    free(f->types);
    f->types = NULL;
    f->count = 0;
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

/* ---- What sinfo says ------------------------------------------------------------------------- */

bool features_include(const char *set, const char *subset)
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
        return fail(e, EXIT_USAGE,
                    "fleet: %.40s..: more than %zu bytes of features; plan with --nodes-by "
                    "partition",
                    line, sizeof t.select - 1);
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

static int copy_program(const struct fleet *f, struct error *e)
{
    char folder[PATH_ROOM], path[PATH_ROOM + 10], *text = NULL;
    size_t size = 0;
    snprintf(folder, sizeof folder, "%s/bin", f->folder);
    snprintf(path, sizeof path, "%s/ulplab", folder);
    if (access(path, X_OK) == 0)
        return 0; /* one program for all types, also for those added later */
    int code = folder_make(folder, e);
    FILE *in = code ? NULL : fopen("/proc/self/exe", "rbe"), *out = memory_text(&text, &size);
    for (int c; in && (c = getc(in)) != EOF;) putc(c, out);
    memory_text_close(out);
    if (!code && (!in || ferror(in)))
        code = file_cannot(e, "read", "/proc/self/exe", "see that /proc is mounted");
    if (in) fclose(in);
    if (!code) code = file_write_atomic(path, text, size, e);
    if (!code && chmod(path, 0755) != 0)
        code = file_cannot(e, "write", path, "choose another folder");
    free(text);
    return code;
}

/* Checks that the options are those of the earlier plan: all types are measured alike. */
static int fleet_plan_check_options(const char *path, const char *text, struct error *e)
{
    char *planned = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "re"), *copy = memory_text(&planned, &size);
    for (int c; in && (c = getc(in)) != EOF;) putc(c, copy);
    if (in) fclose(in);
    memory_text_close(copy);
    bool same = !*text || !strcmp(planned, text);
    free(planned);
    return same ? 0
                : fail(e, EXIT_USAGE, "fleet: %s: planned with other options; take another folder",
                       path);
}

/* Writes the options of `ulplab run`, a word a line. */
static int write_options(const struct fleet *f, const struct options *o, struct error *e)
{
    char path[PATH_ROOM], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/options", f->folder);
    FILE *out = memory_text(&text, &size);
    if (o->quick) fputs("--quick\n", out);
    if (o->full) fputs("--full\n", out);
    if (o->hide_isa) fprintf(out, "--hide-isa=%s\n", o->hide_isa);
    for (size_t i = 0; i < o->filters.count; i++)
        fprintf(out, "--filter\n%s\n", o->filters.items[i]);
    memory_text_close(out);
    int code = access(path, F_OK) == 0 ? fleet_plan_check_options(path, text, e)
                                       : file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

static int write_job(const struct fleet *f, struct error *e)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/job.sh", f->folder);
    int code = file_write_atomic(path, fleet_job, fleet_job_size, e);
    if (!code && chmod(path, 0755) != 0)
        code = file_cannot(e, "write", path, "choose another folder");
    return code;
}

int fleet_plan(struct fleet *f, const struct options *o, struct error *e)
{
    struct error none = {""};
    char logs[PATH_ROOM];
    int code = fleet_read(f, o->out, &none); /* the earlier plan stays */
    if (code) *f = (struct fleet){.types = memory_zeroed(FLEET_TYPES_MAX, sizeof *f->types)};
    snprintf(f->folder, sizeof f->folder, "%s", o->out);
    bool was_partition = f->by_partition, had = f->count > 0;
    f->by_partition = o->nodes_by && !strcmp(o->nodes_by, "partition");
    if (had && o->nodes_by && was_partition != f->by_partition)
        code = fail(e, EXIT_USAGE, "fleet: %s: planned by %s; take another folder", f->folder,
                    was_partition ? "partition" : "feature");
    else
        code = 0;
    if (had) f->by_partition = was_partition;
    snprintf(logs, sizeof logs, "%s/logs", f->folder);
    if (!code) code = ask_nodes(f, e);
    if (!code) code = folder_make(logs, e);
    if (!code) code = copy_program(f, e);
    if (!code) code = write_options(f, o, e);
    if (!code) code = write_job(f, e);
    if (!code) code = write_types(f, e);
    if (code) fleet_free(f);
    return code;
}
