// SPDX-License-Identifier: MIT
/* A trial of a user's function: the lab's compilers build it under the lab's policies, it is
 * compared with the lab's kernels of its operation, and one document has the results
 * (docs/contract.md, "Fields"). */
#ifndef ULPLAB_TRIAL_H
#define ULPLAB_TRIAL_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "machine/cpu.h"
#include "study/call.h"
#include "study/subject.h"
#include "study/workshop.h"

struct trial_request {
    struct subject_options subject;
    const char *op;   /* NULL: from the function's name */
    const char *call; /* NULL: from its debugging information */
    const char *const *also, *const *link;
    size_t also_count, link_count;
    const char *const *ccs, *const *policies; /* none: the usual ones */
    size_t cc_count, policy_count;
    const char *isa;       /* NULL: the widest that this CPU has */
    const char *reference; /* a file with a function of that name, in double; NULL: the lab's */
    const char *reference_call;
    const char *scale;         /* of its errors (study/glue.h); NULL: from its name */
    size_t steps;              /* allowed error in quanta; 0: results are no quanta */
    double step;               /* the quantum; 0: 1 */
    size_t aligned, multiple;  /* guarantees of callers: bytes, elements; 0: none */
    const char *before;        /* an earlier version of the file; NULL: none */
    double eps;                /* if the operation has one; 0: the lab's */
    const char *keep;          /* where to copy the generated kernel file; NULL: nowhere */
    size_t columns;            /* results per row; 0: the reference's declaration says it */
    const char *const *inputs; /* the user's own rows, .npy */
    size_t input_count;
    size_t samples;   /* elements per cell of errors; 0: those of the grid */
    size_t timeout_s; /* time limit of a block of rows; 0: that of `accuracy` */
    bool quick;       /* errors and bits only */
    bool full;        /* a scan of every input, however long it takes */
    bool quiet;
    bool allow_lost; /* flags that give up NaN and infinities may be advised */
};

struct trial {
    const struct trial_request *request;
    const struct cpu *cpu;
    struct subject subject;
    struct workshop workshop;
    struct call call, reference;
    struct call_op has;     /* the operation's parameters */
    bool has_source;        /* the lab's compilers can build it */
    bool has_yours;         /* the user's own build is a variant, too */
    bool by_each;           /* with the user's flags, by every compiler */
    struct words compilers; /* named by the request, or the usual ones */
    char policies[48];      /* of the builds, with blanks between them */
    char op[24], isa[16], own_cc[40];
    char before[PATH_MAX];         /* the earlier version */
    char reference_path[PATH_MAX]; /* "": the lab's reference */
    const char *scale;             /* with the user's reference; NULL: unknown, the result */
    char kernel[PATH_MAX + 80];    /* the file that contains the reference; "": none */
    bool elementwise, unary;
    unsigned columns;
    /* What was found and what follows. In `facts` are the rows as the small lab gives them, by the
     * command's kind (list, accuracy, bench, invariance, scan), and `base`, the build beside which
     * others stand; from them judge_trial() of publish/sql/judge.h, which is a floor above,
     * completes the rest. */
    json_t *document;
    int (*judge)(const char *question, json_t *document, struct error *);
    double begun_s;
};

/* Builds the trial: the document then has "subject" and "builds". trial_close() in any case. */
int trial_build(struct trial *, const struct trial_request *, const struct cpu *, struct error *);
/* Measures what was built, and completes the document; t->judge is to be set. */
int trial_measure(struct trial *, struct error *);
void trial_close(struct trial *);
/* Writes the kernel file for a function of a source, for `ulplab flags`, which builds it itself.
 * path: receives the file's path; it exists until trial_close(). make: receives make's variables.
 */
int trial_kernel_file(struct trial *, const struct trial_request *, const struct cpu *, char *path,
                      size_t size, struct words *make, struct error *);

/* Builds the function again for each probe of a fault (trial_probes): with rows at multiples of 64
 * bytes, with 64 more elements behind them, with both, and with rows at multiples of 64 bytes and
 * lengths that are multiples of 16. */
int trial_build_probes(struct trial *, struct error *);
extern const char *const trial_probes[4];

/* Returns the text of the kernel file that calls the function; the caller frees. */
char *trial_glue(const struct trial *);

/* Settles how the function is called, its operation, the scale of its errors, and the ISA. The
 * compilers are settled. */
int trial_settle(struct trial *, struct error *);
/* Makes the compiler emit C's inline functions in this file: C99 leaves that to another one. */
#define TRIAL_INLINE_IN_C "-fgnu89-inline"

/* Kernel files of the workshop: OP_mine.c is built by compilers and policies, OP_yours.c is the
 * user's own build, and OP_copy.c only copies a row, as is timed with a function in place. */
#define TRIAL_MINE "mine"
#define TRIAL_YOURS "yours"
/* The earlier version, built like OP_yours.c. */
#define TRIAL_BEFORE "before"
#define TRIAL_COPY "copy"
/* The user's reference in the function's type. */
#define TRIAL_PLAIN "plain"
/* The probes of a fault. */
#define TRIAL_PROBE "probe"

#endif
