// SPDX-License-Identifier: MIT
/* Runs, and commands that read results, with a clock, a machine or a disk (disks.c) that
 * misbehaves. A test that this machine cannot run is skipped with a message, and is no failure. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign.h"

enum { PARTIAL = 3 };

void trial_tell(struct trial *t, const char *wrong, const struct outcome *o)
{
    broken(t->c, "%s: %s: exit %d: %.300s", t->name, wrong, o->code, o->err ? o->err : "");
    t->broken++;
}

int trial_take(struct trial *t, const char *const *arguments, int code, int other)
{
    struct outcome o = program_run(t->c, arguments, NULL, NULL);
    int ended = o.code;
    t->tried++;
    if (ended && ended != code && ended != other)
        trial_tell(t, "an exit code that says something else", &o);
    if (ended && (!o.err || !strstr(o.err, "ulplab: "))) trial_tell(t, "no message", &o);
    outcome_free(&o);
    return ended;
}

void trial_take_whole(struct trial *t, bool resume)
{
    const char *arguments[ARGUMENTS_MAX];
    short_run("work", resume && is_there(t->c, "work/machine.json"), arguments);
    if (!resume) command(t->c, "rm -rf work .work.*");
    if (trial_take(t, arguments, 0, 0) == 0 && !same_results(t->c, t->name)) t->broken++;
}

/* ---- The clock, the processors, the pages ---------------------------------------------------- */

static void try_clock(struct trial *t)
{
    setenv("LD_PRELOAD", t->c->shim, 1);
    setenv("FAULT_CLOCK", "back", 1);
    trial_take_whole(t, false);
    unsetenv("FAULT_CLOCK");
    unsetenv("LD_PRELOAD");
}

static int first_processor(void)
{
    cpu_set_t given;
    int first = 0;
    if (sched_getaffinity(0, sizeof given, &given) != 0) return 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &given)) first++;
    return first;
}

static bool pin(pid_t process)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first_processor(), &one);
    return sched_setaffinity(process, sizeof one, &one) == 0;
}

/* The path of a control group with one processor; empty if none can be made. */
static char group[128];

static bool tell_group(const char *file, int value)
{
    char path[200], text[20];
    snprintf(path, sizeof path, "%s/%s", group, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC), length = snprintf(text, sizeof text, "%d", value);
    bool told = fd >= 0 && write(fd, text, (size_t)length) == length;
    if (fd >= 0) close(fd);
    return told;
}

static void make_group(void)
{
    static const char *const roots[] = {"/sys/fs/cgroup/cpuset", "/sys/fs/cgroup"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(group, sizeof group, "%s/ulplab-campaign-%d", roots[i], (int)getpid());
        if (mkdir(group, 0755) != 0) continue;
        if (tell_group("cpuset.mems", 0) && tell_group("cpuset.cpus", first_processor())) return;
        rmdir(group);
    }
    *group = '\0';
}

static bool move(pid_t process)
{
    return tell_group("cgroup.procs", (int)process);
}

/* Moves the run, and the processes that it has at that time, to fewer cores. */
static bool shrink_by(struct campaign *c, pid_t run, bool (*take_cores)(pid_t process))
{
    enum { LOOKS = 8 };
    for (int i = 0; i < LOOKS; i++) {
        pid_t worker = worker_of(c, run);
        if (worker) take_cores(worker);
    }
    return take_cores(run);
}
static bool shrink_affinity(struct campaign *c, pid_t run)
{
    return shrink_by(c, run, pin);
}
static bool shrink_group(struct campaign *c, pid_t run)
{
    return shrink_by(c, run, move);
}

static void try_processors(struct trial *t)
{
    enum { TRIES = 10 };
    make_group();
    if (!*group) progress(t->c, "%s: no control group of processors can be made here", t->name);
    for (int i = 0; i < TRIES; i++) {
        const char *arguments[ARGUMENTS_MAX];
        size_t done;
        command(t->c, "rm -rf work");
        short_run("work", false, arguments);
        struct outcome o = program_harm(t->c, arguments, random_share(t->c),
                                        *group && i % 2 ? shrink_group : shrink_affinity, 1, &done);
        t->tried += done;
        if (o.code) trial_tell(t, "does not end well", &o);
        outcome_free(&o);
        if (!same_results(t->c, t->name)) t->broken++;
    }
    if (*group) rmdir(group);
}

static void try_small_pages(struct trial *t)
{
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) return;
    trial_take_whole(t, false);
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

/* Lets madvise() fail, by which buffers are given huge pages. */
static void try_advice(struct trial *t)
{
    static const int errors[] = {ENOMEM, EINVAL};
    setenv("LD_PRELOAD", t->c->shim, 1);
    setenv("FAULT_FIRED", "advised", 1);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        char number[20];
        snprintf(number, sizeof number, "%d", errors[i]);
        setenv("FAULT_ADVICE", number, 1);
        command(t->c, "rm -f advised");
        trial_take_whole(t, false);
        if (!is_there(t->c, "advised")) broken(t->c, "%s: nothing asked for advice", t->name);
    }
    unsetenv("FAULT_ADVICE");
    unsetenv("FAULT_FIRED");
    unsetenv("LD_PRELOAD");
}

/* ---- Machines that hwloc is told of ---------------------------------------------------------- */

static const struct machine {
    const char *text;
    int packages, nodes;
    bool has_l1; /* without an L1 size no working set can be said to fit */
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
        setenv("HWLOC_THISSYSTEM", i % 2 ? "1" : "0", 1); /* 1: threads are bound */
        command(t->c, "rm -rf work");
        trial_take(t, doctor, 1, 1);
        short_run("work", false, arguments);
        if (t->c->brief && i) break;
        int code = trial_take(t, arguments, PARTIAL, PARTIAL);
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
        {"disk full", disk_full, false},         {"disk read-only", disk_read_only, false},
        {"disk slow", disk_slow, false},         {"clock steps back", try_clock, true},
        {"one core left", try_processors, true}, {"no huge pages", try_small_pages, true},
        {"madvise fails", try_advice, true},     {"another topology", try_machines, false}};
    disks_unshare();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (c->brief && parts[i].takes_long) continue;
        struct trial t = {.c = c, .name = parts[i].name};
        progress(c, "%s", t.name);
        parts[i].run(&t);
        if (t.tried) note_harm(c, t.name, t.tried, t.broken);
    }
}
