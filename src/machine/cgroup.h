// SPDX-License-Identifier: MIT
/* What the groups of processes (cgroups, versions 1 and 2) that this process is in leave it: the
 * least of its own group's limit and those of the groups above, up to the highest that can be seen.
 *
 * root: a folder with the system's proc/ and sys/; "" for the machine's. Figures are INFINITY where
 * there is no limit, and NAN where that cannot be known. */
#ifndef ULPLAB_CGROUP_H
#define ULPLAB_CGROUP_H

#include <stdbool.h>

struct cgroup_limits {
    double processors;   /* quota of time */
    double memory_bytes; /* limit */
    double memory_left;  /* limit, less what is used and cannot be taken back */
    bool beneath;        /* there are groups above the highest that can be seen, as in containers */
};

struct cgroup_limits cgroup_limits_read(const char *root);

#endif
