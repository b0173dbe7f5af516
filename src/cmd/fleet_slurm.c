// SPDX-License-Identifier: MIT
/* A fleet's calls of Slurm's own commands, by their documented formats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cmd/fleet.h"

enum { PATH_ROOM = 1100, COMMAND_MAX = 8000 };

int slurm_lines(const char *command, int (*take)(void *context, char *line, struct error *e),
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

void slurm_job_name(const struct fleet *f, char name[FLEET_NAME])
{
    char path[PATH_ROOM];
    absolute(f->folder, path);
    unsigned long long hash = hash_bytes(HASH_BASIS, path, strlen(path));
    snprintf(name, FLEET_NAME, "ulplab-%016llx", hash);
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

int fleet_look(struct fleet *f, struct error *e)
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

int fleet_submit(struct fleet *f, size_t *submitted, struct error *e)
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
