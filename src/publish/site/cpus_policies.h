/* Where the best policy differs between CPUs. */
#ifndef ULPLAB_CPUS_POLICIES_H
#define ULPLAB_CPUS_POLICIES_H

#include "publish/analyse/pairs.h"
#include "publish/site/cpus_lines.h"

/* One build at one shape: what is the fastest policy on each CPU, of those that promise something,
 * over cells that compare. */
struct cpu_policies {
    size_t line[MACHINES_MAX];       /* of the fastest policy; SIZE_MAX: none */
    struct ratio gain[MACHINES_MAX]; /* how much longer the policy takes that is the fastest on
                                        another CPU; value 0 where no other one is slower here */
    bool known;                      /* by more than the intervals of the ratios, on two CPUs */
};

/* Calls `found` where two CPUs differ: each is faster under its own policy, and the policies'
 * machine code differs. */
void cpu_policies_find(const struct machines *m, const struct cpu_lines *l,
                       void (*found)(const struct cpu_policies *p, void *context), void *context);

#endif
