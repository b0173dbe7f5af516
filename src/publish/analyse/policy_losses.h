/* What a policy loses that `off` computes: results without a distance
 * (docs/method.md, "Error measure") of builds that differ from one under `off` in the policy
 * alone. */
#ifndef ULPLAB_POLICY_LOSSES_H
#define ULPLAB_POLICY_LOSSES_H

#include "publish/analyse/summary.h"

struct loss {
    struct axes axes;      /* of the build that loses */
    size_t nan, inf, lost; /* results beyond those of `off`: NaN, infinite, all that are lost */
    bool scanned;          /* of all 2^32 inputs; else of the cells of accuracy */
};

struct losses {
    struct loss *items; /* by compiler and policy, the worst first */
    size_t count;
};

/* Of each build by its whole scan where it and that under `off` have one, else by its accuracy.
 * Records of different measures are not compared, and hazards not at
 * all. EXIT_PARTIAL: out of memory. */
int losses_find(const struct results *r, const struct summaries *s, struct losses *l,
                struct error *e);
void losses_free(struct losses *l);

/* The worst loss of a compiler under a policy, and of how many builds in all; NULL for none. */
const struct loss *losses_worst(const struct losses *l, const char *cc, const char *policy,
                                size_t *builds);

enum { LOSS_TEXT = 240 };
/* "NaN for 1,020,169,705 inputs of silu/own avx2 that off computes". */
void loss_text(const struct loss *loss, char text[LOSS_TEXT]);

#endif
