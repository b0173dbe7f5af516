/* The parts of performance.md (performance.h): a column, or a group of them, per machine. */
#ifndef ULPLAB_PERFORMANCE_PARTS_H
#define ULPLAB_PERFORMANCE_PARTS_H

#include "publish/render/doc.h"
#include "publish/sections/report.h"

enum { MACHINES_MAX = 16 };

struct machine {
    struct report report;
    const char *folder;
    char name[80];
};
struct machines {
    struct machine items[MACHINES_MAX];
    size_t count;
};

/* The heads of a table: some of its own, then a group for each machine, named where there are
 * several. Both lists end with NULL. */
void machines_table(const struct machines *m, struct doc *d, const char *const *own,
                    const char *const *group);

void performance_limits(const struct machines *m, struct doc *d);
void performance_isas(const struct machines *m, struct doc *d);
void performance_kernels(const struct machines *m, struct doc *d);

#endif
