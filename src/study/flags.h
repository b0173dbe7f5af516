// SPDX-License-Identifier: MIT
/* flags: which compiler flag pays, which breaks, and the fewest that keep the gain, kernel by
 * kernel. */
#ifndef ULPLAB_FLAGS_H
#define ULPLAB_FLAGS_H

#include "model/record.h"
#include "study/flags_kernels.h"
#include "study/flags_lab.h"
#include "study/flags_records.h"

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
    bool every;         /* all kernels, where none is named */
    bool cases;         /* run the case studies, too */
    const json_t *done; /* records of an earlier run, whose cells are not measured again; or NULL */
    bool quiet;
};
struct flags_plan flags_plan_default(void);

/* Puts the records of each cell {kernel, compiler} when it is done (study/flags_records.h). One
 * that cannot be built is left out with a note. EXIT_PARTIAL where none could. */
int flags_run(const struct flags_plan *plan, struct record_sink sink, struct error *e);

#endif
