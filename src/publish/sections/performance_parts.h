/* The parts of performance.md (performance.h), some of them also of performance.html: a column, or
 * a group of them, per machine. */
#ifndef ULPLAB_PERFORMANCE_PARTS_H
#define ULPLAB_PERFORMANCE_PARTS_H

#include "publish/compare/compare_types.h"
#include "publish/load/codes.h"
#include "publish/render/doc.h"
#include "publish/sections/report.h"

enum { MACHINES_MAX = 16 };

struct machine {
    struct report report;
    const char *folder;
    char name[80];
    struct codes codes;
    bool *withheld; /* for each row of `timings`, libraries and log_softmax too (results.h): whether
                       it ran other code than the other machines did */
    size_t beyond[BEYONDS]; /* of the lab's own variants */
};
struct machines {
    struct machine items[MACHINES_MAX];
    size_t count;
};

/* How many rows the table of timings has, libraries and log_softmax too. */
size_t machine_timings(const struct machine *machine);

/* Reads the folders, narrows them by the filters and finds what stands side by side:
 * performance_intersect(). Errors as of performance_write(); machines_close() afterwards. */
int machines_open(const char *const *folders, size_t count, const char *const *filters,
                  size_t filter_count, double bar, bool libraries, struct machines **opened,
                  struct error *e);
void machines_close(struct machines *m);

/* The heads of a table: some of its own, then a group for each machine, named where there are
 * several. Both lists end with NULL. */
void machines_table(const struct machines *m, struct doc *d, const char *const *own,
                    const char *const *group);

/* Which cells of each machine stand beside those of the others: of each variant those of the
 * machine code, or version of the library, that most machines ran (of two as many, the earlier
 * machine's). Fills in `withheld` and `beyond`. EXIT_USAGE where cells were timed and none is left
 * that two machines have; `libraries`: of theirs, too. */
int performance_intersect(struct machines *m, bool libraries, struct error *e);
/* How many cells each machine has beyond those, and why. */
void performance_beyond(const struct machines *m, struct doc *d);

/* Two ISAs of one machine ({"avx2", "avx512"}), each cell beside the same one; false where they
 * have none in common. compare_free() afterwards. */
bool machine_compare_isas(const struct machine *machine, const char *const isas[2],
                          struct compare_plan *plan, struct comparison *c);
/* Mean of the share of the limit that an ISA's cells reach; NaN for none. */
double machine_share_of_limit(const struct machine *machine, const char *op, const char *residency,
                              const char *isa);

void performance_limits(const struct machines *m, struct doc *d);
void performance_isas(const struct machines *m, struct doc *d);
void performance_kernels(const struct machines *m, struct doc *d);

#endif
