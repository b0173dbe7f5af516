/* What every report answers from the summaries: which values the axes have, which variant of an
 * operation to take, which are on the front of speed against error. */
#ifndef ULPLAB_CHOICE_H
#define ULPLAB_CHOICE_H

#include "publish/analyse/summary.h"

enum { AXIS_MAX = 64 };

struct axis_values {
    const char *items[AXIS_MAX]; /* borrowed */
    size_t count;
};
/* Adds a value that is not there yet. */
void axis_remember(struct axis_values *axis, const char *value);

/* The values that occur, in the order in which people think of them (ISAs from the narrowest,
 * policies from the most conservative); what is not known here follows as the ids sort. */
struct present {
    struct axis_values ops /* groups: struct axes */, isas, ccs, policies;
};
void axes_collect(const struct summaries *s, struct present *present);
/* Likewise the input families of the accuracy records. */
void families_collect(const struct results *r, struct axis_values *present);

enum { POLICY_RANKS = 6 };
/* From the most conservative (off) to the least (fastmath); POLICY_RANKS for one of one's own. */
int policy_rank(const char *policy);

/* The fastest candidate of an operation at the home shape (summary_is_candidate()). Builds of the
 * same kernel that the clock cannot tell from it (the ratio's interval touches 1) yield to the
 * more conservative policy. NULL where nothing qualifies. */
const struct summary *choose_fastest(const struct summaries *s, const char *op);
/* Likewise the one with the least error on family `normal`; the faster of two equal ones. */
const struct summary *choose_most_accurate(const struct summaries *s, const char *op);

/* No candidate of the same operation is at least as fast and as accurate and better in one. */
bool on_front(const struct summaries *s, const struct summary *v);

#endif
