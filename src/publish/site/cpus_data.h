/* What the script of the page of several CPUs reads: one JSON document inside the page (cpus_data.c
 * says its shape). */
#ifndef ULPLAB_CPUS_DATA_H
#define ULPLAB_CPUS_DATA_H

#include "publish/site/cpus_lines.h"

/* How many cells of a CPU stand beside another's, and of the others why not. */
struct cpu_count {
    size_t cells, compared;
    size_t beyond[BEYONDS];
};
void cpu_counts(const struct machines *m, const struct cpu_lines *l,
                struct cpu_count counts[MACHINES_MAX]);

/* The caller releases it. */
json_t *cpus_data(const struct machines *m, const struct cpu_lines *l);

#endif
