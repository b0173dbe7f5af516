// SPDX-License-Identifier: MIT
/* The registry: every variant {kernel x ISA x compiler x policy} of this build, and whether it can
 * run here. */
#ifndef ULPLAB_REGISTRY_H
#define ULPLAB_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "build.h"
#include "kernel.h"
#include "machine/cpu.h"
#include "model/peer.h"
#include "model/status.h"

enum { ID_MAX = 192 };

struct variant {
    char id[ID_MAX]; /* softmax/threepass/dtype=f32/isa=avx512/cc=gcc-12/policy=off */
    char op[24], algorithm[40];
    const char *dtype, *isa, *cc, *policy;
    enum status status; /* ok, skipped or unbuilt */
    char reason[128];   /* why it is not ok; otherwise "" */
    const struct build_record *build;
    const struct kernel
        *kernel;        /* NULL if nothing was compiled; for a second operation, the registry's */
    bool study;         /* only case studies run it */
    enum build_use use; /* its use in a run that asks for nothing in particular */
    const struct peer *peer; /* NULL: the lab's own, whose kernel can be run anywhere */
};

struct registry {
    struct variant *variants; /* by op, algorithm, dtype (f32 first), ISA, compiler, policy */
    size_t count;
    struct kernel *seconds; /* kernels as their second operations, or completed with values that
                               their files leave out; the variants point to them */
    size_t second_count;
    struct peer *peers; /* the peers to which variants point */
    size_t peer_count;
};

/* Opens the variants that match every filter (docs/contract.md: --filter). EXIT_USAGE if a filter
 * is malformed or none matches. */
int registry_open(struct registry *r, const struct cpu *cpu, const char *const *filters,
                  size_t filter_count, struct error *e);
/* registry_open(), with the peers if `peers`. Those that are built are `ok`, until
 * measure/peers.h's peers_probe() finds that they cannot be loaded. */
int registry_open_peers(struct registry *r, const struct cpu *cpu, const char *const *filters,
                        size_t filter_count, bool peers, struct error *e);
void registry_close(struct registry *r);

/* The variants of objects that this build lacks and that match the filters, by the names of their
 * files: `skipped` where this CPU could not run them. kernel is NULL, build has the object alone.
 */
struct absences {
    struct variant *variants;
    size_t count;
    struct build_record *builds; /* the records to which the variants' `build` points */
};
int absences_open(struct absences *a, const struct cpu *cpu, const char *const *filters,
                  size_t filter_count, struct error *e);
void absences_close(struct absences *a);

/* Returns whether both can run here and have the same machine code and constants. Their results are
 * then the same, and measuring one is enough. */
bool is_same_code(const struct variant *a, const struct variant *b);
/* Returns the index of the first of variants[0 .. i] that has the code of variants[i]. */
size_t first_of_same_code(const struct variant *const *variants, size_t i);

/* Returns the kernel of this program's file; if no file was built (a test's variant), the
 * variant's. */
const struct kernel *variant_file_kernel(const struct variant *);

/* Returns the status of what was not built: unbuilt, or skipped if the compiler or a library lacks
 * something; `why` gets the reason. */
enum status status_of_unbuilt(const char *build_error, char *why, size_t size);

/* Returns the variant of that id, or NULL. */
const struct variant *registry_find(const struct registry *r, const char *id);

/* The promise to which a kernel is held under a policy (include/kernel.h). A policy that is not the
 * Makefile's own promises nothing, unless its name begins with HELD_POLICY: `ulplab flags` builds
 * such policies. */
#define HELD_POLICY "held-"
enum promise_class { PROMISES_OFF, PROMISES_FUSED, PROMISES_NOTHING };
enum promise_class policy_promises(const char *policy);
/* Returns whether the variant is held to its kernel file's promise. A hazard is not, nor is a
 * policy that promises nothing. */
bool is_held_to_promises(const struct variant *);

/* The members of struct job (include/kernel.h) that only some operations have. */

enum argument {
    ARGUMENT_SCALE = 1,
    ARGUMENT_LOG_OUTPUT = 2,
    ARGUMENT_EPS = 4,
    ARGUMENT_GAMMA = 8,
    ARGUMENT_BETA = 16,
    ARGUMENT_STATS = 32,
};

/* The arguments of a kernel of the lab's own operations, a sum of enum argument. 0 also for an
 * operation that it does not know. */
unsigned arguments_of(const char *op, const char *algorithm);

/* Suggestions for a mistyped id. */

/* Returns the edit distance (Levenshtein) of two strings of fewer than ID_MAX characters; longer
 * ones count by their beginning. */
size_t nearest_distance(const char *a, const char *b);

/* Finds the variants whose ids are spelt most like `id`, nearest first; if `id` has fewer parts
 * between slashes, their first parts are compared. Returns their number, at most `count`. */
size_t nearest_variants(const struct registry *r, const char *id, const struct variant **found,
                        size_t count);

#endif
