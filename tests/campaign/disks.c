// SPDX-License-Identifier: MIT
/* Tests with a disk that is full, read-only or slow. A test that this machine cannot run is skipped
 * with a message, and is no failure. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "campaign.h"

enum { BAD_INPUT = 4, PARTIAL = 3 };

/* True in a mount name space of the campaign's own, whose disks disappear when it ends. */
static bool unshared;

void disks_unshare(void)
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

/* Each size makes the disk full in the middle of another file; once there is room again, the run
 * must finish. */
void disk_full(struct trial *t)
{
    const char *arguments[ARGUMENTS_MAX];
    const int step = t->c->brief ? 128 : 8;
    command(t->c, "mkdir -p disk");
    for (int kib = 20; kib <= 132; kib += step) {
        char options[64], place[PLACE_MAX];
        snprintf(options, sizeof options, "size=%dk", kib);
        if (!mount_small(t, options)) return;
        short_run("disk/work", false, arguments);
        int code = trial_take(t, arguments, PARTIAL, BAD_INPUT);
        place_of(t->c, "disk", place);
        if (code && mount("ulplab", place, "tmpfs", MS_REMOUNT, "size=64m") == 0) {
            short_run("disk/work", is_there(t->c, "disk/work/machine.json"), arguments);
            trial_take(t, arguments, 0, 0);
        }
        command(t->c, "rm -rf work && cp -r disk/work work");
        if (!same_results(t->c, t->name)) t->broken++;
        unmount(t);
    }
}

void disk_read_only(struct trial *t)
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
            if (trial_take(t, jobs[i], BAD_INPUT, BAD_INPUT) != BAD_INPUT) {
                broken(t->c, "%s: %s: says that it wrote", t->name, jobs[i][0]);
                t->broken++;
            }
        trial_take(t, reader, 0, 0);
    }
    if (!keeps_files(t->c, "base", "disk/base", which)) {
        broken(t->c, "%s: %s is not as it was", t->name, which);
        t->broken++;
    }
    unmount(t);
}

/* A slow disk must only cost time: a report makes one write and one fsync, 120 ms. */
void disk_slow(struct trial *t)
{
    static const char *const report[ARGUMENTS_MAX] = {"report", "work"};
    command(t->c, "rm -rf work && cp -r base work");
    trial_take(t, report, 0, 0);
    command(t->c, "mv work/report.md want-report");
    setenv("LD_PRELOAD", t->c->shim, 1);
    setenv("FAULT_SLOW", "20", 1);
    double begin = now_s();
    trial_take(t, report, 0, 0);
    if (!same_file(t->c, "want-report", "work/report.md") || now_s() - begin < 0.12) {
        broken(t->c, "%s: another report, or no waiting", t->name);
        t->broken++;
    }
    if (!t->c->brief) trial_take_whole(t, false);
    unsetenv("FAULT_SLOW");
    unsetenv("LD_PRELOAD");
}
