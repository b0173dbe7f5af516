// SPDX-License-Identifier: MIT
/* flags: which compiler flag pays, which breaks, and the fewest that keep the gain, kernel by
 * kernel. */
#ifndef ULPLAB_FLAGS_H
#define ULPLAB_FLAGS_H

#include "model/record.h"
#include "study/flags_lab.h"
#include "study/flags_search.h"
#include "study/workshop.h"

/* What a run asks. */
struct flags_request {
    const char *base, *all;
    struct flags_wish wish;
};

struct flags_plan {
    struct flags_request request;
    const struct cpu *cpu;
    const char *const *kernels, *const *ccs, *const *own; /* own: a user's flags */
    size_t kernel_count, cc_count, own_count;
    /* `needs` has the variables of make that a user's kernel file asks for, and `of` names the file
     * of the `function` that it calls, where `ulplab try` wrote it; else both are NULL. */
    const struct words *needs;
    const char *of, *function;
    const char *isa, *shapes;
    const char *folder; /* of the small labs */
    flags_judge *judge;
    bool every;         /* all kernels, if none is named */
    bool cases;         /* run the case studies, too */
    const json_t *done; /* records of an earlier run, whose cells are not measured again; or NULL */
    bool quiet;
};
struct flags_plan flags_plan_default(void);

/* Puts the records of each cell {kernel, compiler} when it is done (flags_records()). One that
 * cannot be built is left out with a note. EXIT_PARTIAL if none could be built. */
int flags_run(const struct flags_plan *plan, struct record_sink sink, struct error *e);

/* Which case studies break under sets of flags, by one compiler for one ISA. */

struct flags_cases {
    struct workshop shop;
    const struct flag_table *table;
    const char *cc, *isa;
    json_t *broken; /* by the name of a set's policy: an array of the names of cases */
};

/* folder: of the small lab. */
int flags_cases_open(struct flags_cases *c, const char *folder, struct error *e);
void flags_cases_close(struct flags_cases *c);

/* Builds the cases' kernels under the baseline and those of these sets that are new, and runs the
 * cases. */
int flags_cases_judge(struct flags_cases *c, const flag_set *sets, size_t count, struct error *e);
/* Returns a new array of the cases that are broken under a set and not under another; null if one
 * of the sets was not judged, or c is NULL. */
json_t *flags_cases_beyond(const struct flags_cases *c, flag_set set, flag_set other);

/* The findings as records of flags.jsonl (docs/contract.md). */

/* Makes *records, a new array even if it fails: a {"record": "flag"} for each flag that the
 * compiler knows, and a {"record": "flag-set"}, the answer. version: the compiler's. */
int flags_records(const struct flags_lab *lab, const struct flags_found *found,
                  const struct flags_request *request, const char *version,
                  const struct flags_cases *cases, json_t **records, struct error *e);

#endif
