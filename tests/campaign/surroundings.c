/* A run, and what reads results, where the disk, the clock or the machine is not what it should be.
 * What this machine does not let be tried is said, and is no failure. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign.h"

enum { BAD_INPUT = 4, PARTIAL = 3 };

struct trial {
    struct campaign *c;
    const char *name;
    size_t tried, broken;
};

static void tell(struct trial *t, const char *wrong, const struct outcome *o)
{
    broken(t->c, "%s: %s: exit %d: %.300s", t->name, wrong, o->code, o->err ? o->err : "");
    t->broken++;
}

/* Runs it; it may end with 0, or with one of two other codes and a message. */
static int take(struct trial *t, const char *const *arguments, int code, int other)
{
    struct outcome o = program_run(t->c, arguments, NULL, NULL);
    int ended = o.code;
    t->tried++;
    if (ended && ended != code && ended != other)
        tell(t, "an exit code that says something else", &o);
    if (ended && (!o.err || !strstr(o.err, "ulplab: "))) tell(t, "no message", &o);
    outcome_free(&o);
    return ended;
}

/* A run into `work`, from the start or resumed, that has to end as an undisturbed one. */
static void take_whole(struct trial *t, bool resume)
{
    const char *arguments[ARGUMENTS_MAX];
    short_run("work", resume && is_there(t->c, "work/machine.json"), arguments);
    if (!resume) command(t->c, "rm -rf work");
    if (take(t, arguments, 0, 0) == 0 && !same_results(t->c, t->name)) t->broken++;
}

/* ---- The disk -------------------------------------------------------------------------------- */

/* In a name space of its own, so that no disk stays when the campaign is ended. */
static bool unshared;

static void unshare_disks(void)
{
    unshared = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool mount_small(struct trial *t, const char *options)
{
    char place[PLACE_MAX];
    place_of(t->c, "disk", place);
    if (unshared && mount("ulplab", place, "tmpfs", 0, options) == 0) return true;
    progress(t->c, "%s: left out: cannot mount a disk here: %s", t->name, strerror(errno));
    return false;
}

static void unmount(struct trial *t)
{
    char place[PLACE_MAX];
    place_of(t->c, "disk", place);
    umount2(place, MNT_DETACH);
}

/* Each size ends in the middle of another file; with room again, the run goes on to its end. */
static void try_full(struct trial *t)
{
    const char *arguments[ARGUMENTS_MAX];
    const int step = t->c->brief ? 128 : 8;
    command(t->c, "mkdir -p disk");
    for (int kib = 20; kib <= 132; kib += step) {
        char options[64], place[PLACE_MAX];
        snprintf(options, sizeof options, "size=%dk", kib);
        if (!mount_small(t, options)) return;
        short_run("disk/work", false, arguments);
        int code = take(t, arguments, PARTIAL, BAD_INPUT);
        place_of(t->c, "disk", place);
        if (code && mount("ulplab", place, "tmpfs", MS_REMOUNT, "size=64m") == 0) {
            short_run("disk/work", is_there(t->c, "disk/work/machine.json"), arguments);
            take(t, arguments, 0, 0);
        }
        command(t->c, "rm -rf work && cp -r disk/work work");
        if (!same_results(t->c, t->name)) t->broken++;
        unmount(t);
    }
}

static void try_read_only(struct trial *t)
{
    static const char *const jobs[][ARGUMENTS_MAX] = {
        {"report", "disk/base"},
        {"report", "disk/base", "--format", "html"},
        {"export", "disk/base", "--format", "archive"},
        {"archive", "add", "disk/base", "--to", "disk/lab.db"},
        {"run", "--quick", "--out", "disk/new"},
        {"run", "--quick", "--out", "disk/base", "--resume"}};
    static const char *const reader[ARGUMENTS_MAX] = {"export", "disk/base", "--format", "csv"};
    char place[PLACE_MAX], which[PLACE_MAX];
    place_of(t->c, "disk", place);
    command(t->c, "mkdir -p disk");
    if (!mount_small(t, "size=64m")) return;
    command(t->c, "cp -r base disk/base");
    if (mount("ulplab", place, "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0) {
        for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
            if (take(t, jobs[i], BAD_INPUT, BAD_INPUT) != BAD_INPUT) {
                broken(t->c, "%s: %s: says that it wrote", t->name, jobs[i][0]);
                t->broken++;
            }
        take(t, reader, 0, 0);
    }
    if (!keeps_files(t->c, "base", "disk/base", which)) {
        broken(t->c, "%s: %s is not as it was", t->name, which);
        t->broken++;
    }
    unmount(t);
}

/* ---- The clock, the processors, the pages ---------------------------------------------------- */

static void try_clock(struct trial *t)
{
    setenv("LD_PRELOAD", t->c->shim, 1);
    setenv("FAULT_CLOCK", "back", 1);
    take_whole(t, false);
    unsetenv("FAULT_CLOCK");
    unsetenv("LD_PRELOAD");
}

static bool shrink(struct campaign *c, pid_t run)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    for (int i = 0; i < 8; i++) { /* whoever of its processes is there then */
        pid_t worker = worker_of(c, run);
        if (worker) sched_setaffinity(worker, sizeof one, &one);
    }
    return sched_setaffinity(run, sizeof one, &one) == 0;
}

static void try_processors(struct trial *t)
{
    enum { TRIES = 10 };
    for (int i = 0; i < TRIES; i++) {
        const char *arguments[ARGUMENTS_MAX];
        size_t done;
        command(t->c, "rm -rf work");
        short_run("work", false, arguments);
        struct outcome o = program_harm(t->c, arguments, random_share(t->c), shrink, 1, &done);
        t->tried++;
        if (o.code) tell(t, "does not end well", &o);
        outcome_free(&o);
        if (!same_results(t->c, t->name)) t->broken++;
    }
}

static void try_small_pages(struct trial *t)
{
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) return;
    take_whole(t, false);
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

/* ---- Machines that hwloc is told of ---------------------------------------------------------- */

static const struct machine {
    const char *text;
    int packages, nodes;
    bool has_l1; /* without, there is no telling which working set fits */
} machines[] = {{"package:2 numa:2 l3:1 core:4 pu:2", 2, 4, false},
                {"package:2 numa:2 l3:1 l2:4 l1d:1 core:1 pu:2", 2, 4, true},
                {"package:2 numa:2 l3:1 l2:32 l1d:1 core:1 pu:2", 2, 4, true}, /* 256 processors */
                {"package:1 core:1 pu:1", 1, 1, false},
                {"numa:1 pu:4", 0, 1, false}};

static void check_machine(struct trial *t, const struct machine *m)
{
    size_t size;
    char *text = text_of(t->c, "work/machine.json", &size);
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    json_t *topology = json_object_get(json_object_get(document, "machine"), "topology");
    json_int_t packages = json_integer_value(json_object_get(topology, "packages"));
    json_int_t nodes = json_integer_value(json_object_get(topology, "numa_nodes"));
    if (packages != m->packages || nodes != m->nodes) {
        broken(t->c, "%s: %s: machine.json has %d packages, %d nodes", t->name, m->text,
               (int)packages, (int)nodes);
        t->broken++;
    }
    json_decref(document);
    free(text);
}

static void try_machines(struct trial *t)
{
    static const char *const doctor[ARGUMENTS_MAX] = {"doctor", "--json"};
    size_t count = sizeof machines / sizeof *machines;
    for (size_t i = 0; i < 2 * count; i++) {
        const char *arguments[ARGUMENTS_MAX];
        setenv("HWLOC_SYNTHETIC", machines[i / 2].text, 1);
        setenv("HWLOC_THISSYSTEM", i % 2 ? "1" : "0", 1); /* 1: threads are bound, where they can */
        command(t->c, "rm -rf work");
        take(t, doctor, 1, 1);
        short_run("work", false, arguments);
        if (t->c->brief && i) break;
        int code = take(t, arguments, PARTIAL, PARTIAL);
        if ((code == 0) != machines[i / 2].has_l1) {
            broken(t->c, "%s: %s: exit %d", t->name, machines[i / 2].text, code);
            t->broken++;
        }
        check_machine(t, &machines[i / 2]);
    }
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_THISSYSTEM");
}

void campaign_of_surroundings(struct campaign *c)
{
    static const struct {
        const char *name;
        void (*run)(struct trial *t);
        bool takes_long;
    } parts[] = {
        {"disk full", try_full, false},           {"disk read-only", try_read_only, false},
        {"clock steps back", try_clock, true},    {"one core left", try_processors, true},
        {"no huge pages", try_small_pages, true}, {"another topology", try_machines, false}};
    unshare_disks();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (c->brief && parts[i].takes_long) continue;
        struct trial t = {.c = c, .name = parts[i].name};
        progress(c, "%s", t.name);
        parts[i].run(&t);
        if (t.tried) note_harm(c, t.name, t.tried, t.broken);
    }
}
