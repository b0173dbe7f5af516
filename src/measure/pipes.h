// SPDX-License-Identifier: MIT
/* The pipes of the vector unit that an instruction uses, inferred from throughputs alone.
 *
 * A core is modelled as P equal pipes, each of which starts one operation per cycle. An instruction
 * has a set of pipes and takes `work` cycles of them, on whichever are free. By Hall's theorem, a
 * mix of instructions then takes max over sets U of pipes of (work of the instructions that can use
 * only pipes in U) / |U|. Pipes have no names here: the first ones are those of multiplications. */
#ifndef ULPLAB_PIPES_H
#define ULPLAB_PIPES_H

#include <stddef.h>

enum { PIPES_MAX = 6, PIPE_KINDS = 6 };
/* The instructions that others are mixed with: multiplication, addition, in-lane shuffle,
 * permutation across lanes, shift, division. */
extern const char *const pipe_kind_names[PIPE_KINDS];

struct pipe_use {
    unsigned set;     /* bit i: it can use pipe i; 0: none, or not known */
    double work;      /* cycles, over all pipes that it can use */
    unsigned hinders; /* pipes that it slows down without using them: an FMA reads three operands,
                         and on some cores occupies a read port of others */
    double hindrance; /* cycles of these pipes, per instruction */
    double misfit;    /* largest relative difference between the measured mixes and all of this */
};

/* One instruction mixed with `beside` instructions of a kind: total cycles; NaN: not measured. */
struct pipe_mix {
    unsigned beside;
    double cycles;
};

/* The pipes as the kinds show them. */
struct pipe_basis {
    unsigned pipes;                      /* 0: not measured */
    double cycles[PIPE_KINDS];           /* the cycles of each alone */
    double pair[PIPE_KINDS][PIPE_KINDS]; /* a < b: of pipes_copies() of each */
    struct pipe_use kind[PIPE_KINDS];
};

/* Returns how many instructions that take `cycles` alone are mixed with one that takes `others`, so
 * that both parts would take about as long: sharing of pipes then shows. */
unsigned pipes_copies(double cycles, double others);
/* Returns the cycles of a mix: work[i] on set[i]. */
double pipes_time(const unsigned *set, const double *work, size_t count, unsigned pipes);
/* Finds the kinds' sets from `pipes`, cycles and pair. */
void pipes_find_basis(struct pipe_basis *b);
/* The set and work of an instruction that alone takes `cycles`. */
struct pipe_use pipes_place(const struct pipe_basis *b, double cycles,
                            const struct pipe_mix mix[PIPE_KINDS]);

#endif
