// SPDX-License-Identifier: MIT
/* The small labs of `ulplab flags`: a kernel under sets of flags, by one compiler for one ISA.
 * Builds are compiled once, and those of equal machine code are measured once. */
#ifndef ULPLAB_FLAGS_LAB_H
#define ULPLAB_FLAGS_LAB_H

#include <jansson.h>

#include "measure/ratio.h"
#include "study/flags_table.h"
#include "study/workshop.h"

/* The kernels that `ulplab flags` measures: files of the sources, by name or pattern, and users'.
 */

/* A kernel: its file and its names. */
struct flags_kernel {
    const char *file;           /* simd/softmax/softmax_plain.c, or a user's */
    bool own;                   /* a user's */
    char name[80];              /* softmax_plain; with doubles softmax_plain.f64 */
    char dtype[8];              /* f32 or f64 */
    char op[24], algorithm[40]; /* "" for a user's, until its build says them */
    const struct words *needs;  /* variables of make for a user's; or NULL */
    const char *of, *function;  /* the function that it calls, and its file; or NULL */
};

struct flags_kernels {
    struct flags_kernel *items;
    size_t count;
};

/* The folder of generated files (of the table of libraries), below a build's folder. */
#define FLAGS_MADE_KERNELS "simd/libraries/"

/* words: "softmax/plain", "softmax", a pattern of a shell (shell quoted: 'exp/...'), or the path of
 * a kernel file; "softmax/plain.f64" is that kernel in double. None: the plain loops, and one
 * kernel of each operation over the vocabulary. every: all kernels that have an oracle. shop: where
 * the sources are. EXIT_USAGE where a word names none. */
int flags_kernels_find(const struct workshop *shop, const char *const *words, size_t count,
                       bool every, struct flags_kernels *kernels, struct error *e);
void flags_kernels_free(struct flags_kernels *kernels);

/* A kernel under one set of flags. */
struct flags_build {
    flag_set set;
    bool built;
    uint64_t hash;        /* of its machine code */
    size_t same_as;       /* the first build of that code */
    bool asked;           /* its errors and bits are known */
    const json_t *effect; /* the judge's answer, for the first build of a code */
    const char *reason;   /* why it has no figures: "sigill", or "" */
};

/* Answers a question from what was measured: "effects", "choice" or "sentence" (judge_flags() of
 * publish/sql/judge.h, which is a floor above). */
typedef int flags_judge(const char *question, const json_t *document, json_t **answer,
                        struct error *e);

struct flags_lab {
    struct workshop shop;
    struct flag_table table;
    struct flags_kernel *kernel;
    const char *cc, *isa, *shapes;
    struct flags_build *builds;
    size_t count;
    char base_id[200]; /* of the variant that the baseline is */
    json_t *documents; /* what the builds' rows belong to */
    flags_judge *judge;
    json_t *allow;         /* words of --allow, an array; NULL: none */
    const json_t *unknown; /* the effect of a build that could not be measured; NULL: not asked */
    /* Takes the place of flags_lab_time(), for tests that depend on no clock; or NULL. */
    int (*time)(const struct flags_lab *lab, const flag_set *sets, size_t count, size_t processes,
                json_t **times, struct error *e);
};

/* Adds make's variables for a small lab of one compiler and ISA, whose policies are sets of flags
 * with the names that `name` writes. Returns these names with blanks between them; the caller
 * frees. */
enum { FLAGS_NAME_ROOM = 64 };
typedef void flags_namer(const struct flag_table *t, flag_set set, char name[FLAGS_NAME_ROOM]);
char *flags_add_axes(struct words *variables, const struct flag_table *t, const char *cc,
                     const char *isa, const flag_set *sets, size_t count, flags_namer *name);

/* folder: of the small lab. */
int flags_lab_open(struct flags_lab *lab, const char *folder, struct error *e);
void flags_lab_close(struct flags_lab *lab);

/* Compiles the kernel under those of these sets that are new. */
int flags_lab_compile(struct flags_lab *lab, const flag_set *sets, size_t count, struct error *e);
/* Returns the index of the build of a set, which was compiled. */
size_t flags_lab_find(const struct flags_lab *lab, flag_set set);
/* Returns whether both sets have the same machine code; false where one was not built. */
bool flags_lab_same(const struct flags_lab *lab, flag_set a, flag_set b);

/* Finds errors and bits of these builds, which were compiled: over the default grid, and of special
 * inputs. */
int flags_lab_judge(struct flags_lab *lab, const flag_set *sets, size_t count, struct error *e);
/* Times these builds side by side, in so many processes: *times, which the caller frees, are rows
 * of bench. */
int flags_lab_time(struct flags_lab *lab, const flag_set *sets, size_t count, size_t processes,
                   json_t **times, struct error *e);
/* Returns how many times as fast the kernel is under `b` as under `a`, over all shapes; 1, known
 * exactly, where the code is the same. */
struct ratio flags_lab_speed(const struct flags_lab *lab, const json_t *times, flag_set a,
                             flag_set b);

#endif
