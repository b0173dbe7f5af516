// SPDX-License-Identifier: MIT
/* A trial of somebody's function: the lab's compilers and policies build it, the lab's kernels of
 * its operation stand beside it, and one document says what came of it (docs/contract.md,
 * "Fields").
 */
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
    const char *op;   /* NULL: by the function's name */
    const char *call; /* NULL: by its debugging information */
    const char *const *also, *const *link;
    size_t also_count, link_count;
    const char *const *ccs, *const *policies; /* none: the usual ones */
    size_t cc_count, policy_count;
    const char *isa;       /* NULL: the widest that this CPU has */
    const char *reference; /* a file with a function of that name, in double; NULL: the lab's */
    const char *reference_call;
    const char *scale; /* over what its errors are taken (study/glue.h); NULL: by its name */
    size_t steps;      /* how far results that are quanta may be off; 0: they are no quanta */
    double step;       /* the quantum; 0: 1 */
    size_t aligned, multiple;  /* what callers keep: bytes, elements (study/glue.h); 0: nothing */
    const char *before;        /* an earlier version of the file; NULL: none */
    double eps;                /* that of the operation, if it has one; 0: the lab's */
    const char *keep;          /* where the generated kernel file goes, too */
    size_t columns;            /* results per row, where the reference does not say it */
    const char *const *inputs; /* the user's own rows, .npy */
    size_t input_count;
    size_t samples;   /* elements per cell of errors; 0: those of the grid */
    size_t timeout_s; /* how long a block of rows may take; 0: as long as `accuracy` allows */
    bool quick;       /* errors and bits alone */
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
    struct call_op has;     /* what the operation has, by which both are settled */
    bool has_source;        /* the compilers and policies can build it */
    bool has_yours;         /* its own build is a variant */
    bool by_each;           /* of every compiler, with what the ISA needs */
    struct words compilers; /* the usual ones, or those that were named */
    char policies[48];      /* of the builds, as words */
    char op[24], isa[16], own_cc[40];
    char before[PATH_MAX];         /* the earlier version */
    char reference_path[PATH_MAX]; /* "" without one of the user's own */
    const char *scale;             /* of a reference of the user's own; NULL: unknown, the result */
    char kernel[PATH_MAX + 80];    /* the file with the reference, where there is one */
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
/* In the place of trial_build(), for `ulplab flags`: writes the kernel file around a function of a
 * source, and builds nothing. path: of that file, which is there until trial_close(). make: the
 * variables that it needs. */
int trial_kernel_file(struct trial *, const struct trial_request *, const struct cpu *, char *path,
                      size_t size, struct words *make, struct error *);

/* Builds the function once more, by files of TRIAL_PROBE: with rows at multiples of 64 bytes, with
 * 64 elements behind them that can be read, with both, and with these and lengths that are
 * multiples of 16 elements. trial_probes names them. */
int trial_build_probes(struct trial *, struct error *);
extern const char *const trial_probes[4];

/* Returns the kernel file that was written around the function; the caller frees. */
char *trial_glue(const struct trial *);

/* Settles what is tried: how the function is called, by its own declaration or the user's; the
 * operation, and over what its errors are taken; the ISA. The compilers are known. */
int trial_settle(struct trial *, struct error *);
/* Inline functions of C are defined where they are included: C99 leaves that to one file of a
 * program, which may not be this one. */
#define TRIAL_INLINE_IN_C "-fgnu89-inline"

/* Files of the workshop are OP_mine.c, what compilers and policies make of it, OP_yours.c, its own
 * build, and OP_copy.c, which only copies rows as a function in place needs them copied. */
#define TRIAL_MINE "mine"
#define TRIAL_YOURS "yours"
/* An earlier version, built as yours is. */
#define TRIAL_BEFORE "before"
#define TRIAL_COPY "copy"
/* The user's reference in float. */
#define TRIAL_PLAIN "plain"
/* A fault's probes, each with one thing more that callers may keep. */
#define TRIAL_PROBE "probe"

#endif
