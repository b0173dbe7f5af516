/* The parts of performance.md (performance.h): a column, or a group of them, per machine. */
#ifndef ULPLAB_PERFORMANCE_PARTS_H
#define ULPLAB_PERFORMANCE_PARTS_H

#include "publish/load/codes.h"
#include "publish/render/doc.h"
#include "publish/sections/report.h"

enum { MACHINES_MAX = 16 };

struct machine {
    struct report report;
    const char *folder;
    char name[80];
    bool *withheld; /* for each timing: whether it ran other code than the other machines did */
    size_t beyond[BEYONDS];
};
struct machines {
    struct machine items[MACHINES_MAX];
    size_t count;
};

/* The heads of a table: some of its own, then a group for each machine, named where there are
 * several. Both lists end with NULL. */
void machines_table(const struct machines *m, struct doc *d, const char *const *own,
                    const char *const *group);

/* Which cells of each machine stand beside those of the others: of each variant those of the
 * machine code, or version of the library, that most machines ran (of two as many, the earlier
 * machine's). Fills in `withheld` and `beyond`. EXIT_USAGE where cells were timed and none is left
 * that two machines have. */
int performance_intersect(struct machines *m, struct error *e);
/* How many cells each machine has beyond those, and why. */
void performance_beyond(const struct machines *m, struct doc *d);

void performance_limits(const struct machines *m, struct doc *d);
void performance_isas(const struct machines *m, struct doc *d);
void performance_kernels(const struct machines *m, struct doc *d);

#endif
