/* What every report of one folder of results is written from, and report.md. */
#ifndef ULPLAB_REPORT_H
#define ULPLAB_REPORT_H

#include "publish/analyse/bits.h"
#include "publish/analyse/choice.h"
#include "publish/analyse/field.h"
#include "publish/analyse/identical.h"
#include "publish/analyse/policy_losses.h"
#include "publish/analyse/summary.h"
#include "publish/analyse/unsteady.h"
#include "publish/analyse/vectors.h"
#include "publish/load/results.h"
#include "publish/policy/policy.h"

struct report {
    struct results results;
    json_t *cases; /* records of cases.jsonl */
    struct summaries summaries;
    struct present present; /* the values of the axes */
    struct bit_classes bits;
    struct field field;
    struct identical identical;
    struct unsteady unsteady;
    struct vectors vectors;
    struct lab_db db;         /* the same records, for questions (publish/sql) */
    struct policies policies; /* empty where no build of a compiler was measured */
    struct losses losses;     /* what policies lose that `off` computes */
};

/* Reads a folder and derives the rest. filters: of variants (analyse/narrow.h). bar: of advice
 * (analyse/summary.h). An error code leaves nothing to close. */
int report_open(const char *folder, const char *const *filters, size_t filter_count, double bar,
                struct report *r, struct error *e);
void report_close(struct report *r);

/* Writes report.md of a folder into the folder `into`: the answer, the libraries, the policies, the
 * machine, in at most 100 KB, and where the rest is. `path` receives where. */
int report_write(const char *folder, const char *into, double bar, char *path, size_t path_size,
                 struct error *e);

/* Prints what report.md opens with, the answer, for people at a terminal of so many columns: at
 * most 25 lines. */
int report_print_answer(const char *folder, FILE *out, size_t columns, struct error *e);

#endif
