// SPDX-License-Identifier: MIT
#include "machine/cgroup.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"

enum { LINE = 4096, PATH_ROOM = 2 * LINE };

struct group {
    bool unified;         /* version 2 */
    bool beneath;         /* the highest folder is no system's first group */
    char path[PATH_ROOM]; /* the folder of a group */
    size_t top;           /* length of the path of the highest one */
};

/* ---- Where the groups are -------------------------------------------------------------------- */

static FILE *open_under(const char *root, const char *name)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s%s", root, name);
    return fopen(path, "re");
}

/* Reads the process's group of a controller from lines NUMBER:CONTROLLERS:GROUP. Version 2 has one
 * line for all, which names none and counts where no other line has the controller. */
static bool read_group(const char *root, const char *controller, bool *unified, char group[LINE])
{
    char line[LINE];
    bool found = false;
    FILE *in = open_under(root, "/proc/self/cgroup");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *name = list ? strchr(list + 1, ':') : NULL;
        if (!name) continue;
        *name++ = '\0';
        const bool one = list_has(list + 1, ',', controller), all = !list[1] && !found;
        if (!one && !all) continue;
        snprintf(group, LINE, "%s", name);
        *unified = all;
        found = true;
        if (one) break;
    }
    if (in) fclose(in);
    return found;
}

/* A mount of /proc/self/mountinfo: the group that it shows, and the folder where. */
struct mount {
    char group[LINE], folder[LINE];
};

/* Replaces the octal escapes of blanks. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; to++)
        if (at[0] == '\\' && at[1] && at[2] && at[3]) {
            *to = (char)strtol((char[]){at[1], at[2], at[3], '\0'}, NULL, 8);
            at += 4;
        } else
            *to = *at++;
    *to = '\0';
}

static bool parse_mount(const char *line, const char *controller, bool unified, struct mount *m)
{
    char type[64], options[LINE];
    const char *behind = strstr(line, " - ");
    if (!behind || sscanf(behind, " - %63s %*s %4095s", type, options) != 2) return false;
    if (strcmp(type, unified ? "cgroup2" : "cgroup") != 0) return false;
    if (!unified && !list_has(options, ',', controller)) return false;
    if (sscanf(line, "%*s %*s %*s %4095s %4095s", m->group, m->folder) != 2) return false;
    unescape(m->group);
    unescape(m->folder);
    if (!strcmp(m->group, "/")) m->group[0] = '\0';
    return true;
}

/* Returns what follows the mount's group in the name of the process's: "" where it is not within.
 */
static const char *below(const struct mount *m, const char *group)
{
    const size_t length = strlen(m->group);
    const bool within =
        !strncmp(group, m->group, length) && (!group[length] || group[length] == '/');
    return within && !strstr(group, "/..") && strcmp(group, "/") != 0 ? group + length : "";
}

static bool is_group(const char *path)
{
    char name[PATH_ROOM + 16];
    snprintf(name, sizeof name, "%s/cgroup.procs", path);
    return access(name, F_OK) == 0;
}

static bool go_up(struct group *g)
{
    if (strlen(g->path) <= g->top) return false;
    *strrchr(g->path + g->top, '/') = '\0';
    return true;
}

/* Finds the folder of the process's group. In a container the name may be the host's, of which no
 * folder is here: then the nearest one above that is. Returns false where none can be seen. */
static bool cgroup_find(const char *root, const char *controller, struct group *g)
{
    char group[LINE], line[LINE];
    struct mount m;
    bool found = false;
    *g = (struct group){0};
    if (!read_group(root, controller, &g->unified, group)) return false;
    FILE *in = open_under(root, "/proc/self/mountinfo");
    while (in && !found && fgets(line, sizeof line, in)) {
        if (!parse_mount(line, controller, g->unified, &m)) continue;
        snprintf(g->path, sizeof g->path, "%s%s", root, m.folder);
        g->top = strlen(g->path);
        found = is_group(g->path);
        g->beneath = m.group[0] != '\0';
        snprintf(g->path + g->top, sizeof g->path - g->top, "%s", below(&m, group));
    }
    if (in) fclose(in);
    while (found && !is_group(g->path) && go_up(g)) {
    }
    return found;
}

/* ---- What they say --------------------------------------------------------------------------- */

/* Reads the number after `key` in the group's file, or after `skipped` more words; "max" and a
 * missing file are INFINITY. */
static double read_number(const struct group *g, const char *file, const char *key, int skipped)
{
    char path[PATH_ROOM + 64], line[256], *at = NULL;
    snprintf(path, sizeof path, "%s/%s", g->path, file);
    FILE *in = fopen(path, "re");
    if (!in) return errno == ENOENT ? INFINITY : NAN;
    while (!at && fgets(line, sizeof line, in))
        if (!strncmp(line, key, strlen(key))) at = line + strlen(key);
    const bool bad = ferror(in);
    fclose(in);
    for (; at && skipped; skipped--) at += strcspn(at, " "), at += strspn(at, " ");
    return bad || (at && !*at) ? NAN : !at || !strncmp(at, "max", 3) ? INFINITY : strtod(at, NULL);
}

static double quota_of(const struct group *g)
{
    const double quota = read_number(g, g->unified ? "cpu.max" : "cpu.cfs_quota_us", "", 0);
    if (!isfinite(quota)) return quota;
    if (quota < 0) return INFINITY; /* version 1 says -1 */
    return quota / (g->unified ? read_number(g, "cpu.max", "", 1)
                               : read_number(g, "cpu.cfs_period_us", "", 0));
}

static double memory_of(const struct group *g)
{
    const double unlimited = 0x1p62; /* version 1 has the largest number of pages */
    const double limit = read_number(g, g->unified ? "memory.max" : "memory.limit_in_bytes", "", 0);
    const double high = g->unified ? read_number(g, "memory.high", "", 0) : INFINITY;
    const double least = fmin(limit, high);
    return isnan(limit) ? limit : least >= unlimited ? INFINITY : least;
}

/* Returns the memory that the group cannot give back, which excludes inactive file pages. */
static double used_of(const struct group *g)
{
    const double used =
        read_number(g, g->unified ? "memory.current" : "memory.usage_in_bytes", "", 0);
    const double file =
        read_number(g, "memory.stat", g->unified ? "inactive_file " : "total_inactive_file ", 0);
    return isfinite(used) ? used - (isfinite(file) ? file : 0) : 0;
}

/* Takes the lesser limit; of an unknown one and none the unknown one. */
static double lesser(double a, double b)
{
    return isnan(a) && b == INFINITY ? a : isnan(b) && a == INFINITY ? b : fmin(a, b);
}

struct cgroup_limits cgroup_limits_read(const char *root)
{
    struct cgroup_limits l = {NAN, NAN, NAN, false};
    struct group g;
    if (cgroup_find(root, "cpu", &g)) {
        l.processors = quota_of(&g);
        while (go_up(&g)) l.processors = lesser(l.processors, quota_of(&g));
        /* Version 2 has this file in every group but the system's first. */
        l.beneath = g.beneath || (g.unified && read_number(&g, "cgroup.type", "", 0) != INFINITY);
    }
    if (cgroup_find(root, "memory", &g)) {
        l.memory_bytes = l.memory_left = INFINITY;
        do {
            const double limit = memory_of(&g);
            l.memory_bytes = lesser(l.memory_bytes, limit);
            l.memory_left = lesser(l.memory_left, limit - used_of(&g));
        } while (go_up(&g));
        if (l.memory_left < 0) l.memory_left = 0;
    }
    return l;
}
