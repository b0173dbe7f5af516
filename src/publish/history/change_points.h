// SPDX-License-Identifier: MIT
/* Where does a series of noisy figures change its level? E-divisive (Matteson and James, Journal of
 * the American Statistical Association 109, 2014) finds where to split; whether a split counts is
 * decided by Student's t on the two segments, as Hunter does (Apache Otava), and not by
 * permutations: the same series always has the same change points. */
#ifndef ULPLAB_CHANGE_POINTS_H
#define ULPLAB_CHANGE_POINTS_H

#include <stddef.h>

/* One run's figure, as a logarithm, and the standard error that its own interval says; 0: unknown.
 */
struct point {
    double value, error;
};

struct change_rules {
    double p;         /* largest p of a change */
    double magnitude; /* least change of the logarithm */
};
extern const struct change_rules change_rules_usual;

struct change_point {
    size_t at;        /* the first point of the new level */
    double shift;     /* of the mean of the logarithms, new less old */
    double low, high; /* its 95% interval */
    double p;
};

/* The change points of a series, in order. Returns how many, at most `room`; 0 too where memory is
 * short. A level has at least three points, so that a change is found in the third run after it. */
size_t change_points_find(const struct point *series, size_t count,
                          const struct change_rules *rules, struct change_point *found,
                          size_t room);

#endif
