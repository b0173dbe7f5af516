// SPDX-License-Identifier: MIT
/* The effect of a set of flags on a kernel's results, compared with the baseline. */
#ifndef ULPLAB_FLAGS_EFFECT_H
#define ULPLAB_FLAGS_EFFECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The guarantees that may be given up. */
struct flags_allowance {
    bool lost;   /* results may become NaN or infinite, and promises may break */
    bool errors; /* they may grow */
    bool bits;   /* other bits than the baseline's */
};

struct flags_effect {
    bool known;      /* both have errors on the same inputs */
    bool bits;       /* some result has other bits */
    bool special;    /* of the special inputs, other results are wrong */
    bool broken;     /* a promise that the baseline keeps */
    double lost;     /* results that the baseline computes */
    double changed;  /* a number for a NaN, an infinity or a zero of the baseline, or the reverse */
    bool worse;      /* an error grows by more than harm.sql lets it */
    const char *why; /* the judge's sentence where any of these three is so; or NULL */
    double flushed;  /* zeros in the place of subnormal results, beyond those of the baseline */
    /* Where the error grows most: of the set and of the baseline, in `unit`; NAN where it does
     * not grow. Infinite where results are lost. */
    double error, of_base;
    const char *unit;
    const json_t *worst; /* the row of accuracy; NULL where no error grows */
};

/* base, its: rows of accuracy on the same inputs, in one order; the last is of special inputs. The
 * same pointer: the same code. NULL: unknown. harm: what the judge says of `its`. */
struct flags_effect flags_effect_of(const json_t *base, const json_t *its, const json_t *harm);
bool flags_effect_is_allowed(const struct flags_effect *, const struct flags_allowance *);

#endif
