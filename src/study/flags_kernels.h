// SPDX-License-Identifier: MIT
/* The kernels that `ulplab flags` is asked of: files of the sources, by names or patterns, and a
 * user's own. */
#ifndef ULPLAB_FLAGS_KERNELS_H
#define ULPLAB_FLAGS_KERNELS_H

#include "study/workshop.h"

/* A kernel: its file and its names. */
struct flags_kernel {
    const char *file;           /* simd/softmax/softmax_plain.c, or a user's */
    bool own;                   /* a user's */
    char name[80];              /* softmax_plain; with doubles softmax_plain.f64 */
    char dtype[8];              /* f32 or f64 */
    char op[24], algorithm[40]; /* "" of a user's, until its build has said them */
    const struct words *needs;  /* variables of make for a user's; or NULL */
    const char *of, *function;  /* the function that it calls, and its file; or NULL */
};

struct flags_kernels {
    struct flags_kernel *items;
    size_t count;
};

/* Files that are made from the table of libraries lie below a build's folder, under this name. */
#define FLAGS_MADE_KERNELS "simd/libraries/"

/* words: "softmax/plain", "softmax", a pattern of a shell (shell quoted: 'exp/...'), or the path of
 * a kernel file; "softmax/plain.f64" is that kernel in double. None: the plain loops, and one
 * kernel of each operation over the vocabulary. every: all kernels that have an oracle. shop: where
 * the sources are. EXIT_USAGE where a word names none. */
int flags_kernels_find(const struct workshop *shop, const char *const *words, size_t count,
                       bool every, struct flags_kernels *kernels, struct error *e);
void flags_kernels_free(struct flags_kernels *kernels);

#endif
