/* Which sides a command line compares: folders of results, or values of an axis. */
#ifndef ULPLAB_SIDES_H
#define ULPLAB_SIDES_H

#include "publish/compare/compare.h"

/* What was asked. Words are folders of results or, with an axis in one folder, its values. */
struct sides_request {
    const char *const *words;
    size_t word_count;
    const char *by;   /* NULL, "cpu", "commit", "isa", "cc", "policy" */
    const char *home; /* the folder to take if no word is a folder; NULL for none */
    const char *const *filters;
    size_t filter_count;
};

struct sides {
    struct compare_plan plan;
    struct results results[SIDES_MAX];
    size_t result_count;
    char values[SIDES_MAX][40];
};

/* Without --by: two or more folders; they are runs of one machine, or CPUs where the machines
 * differ. --by cpu, --by commit: the same, named so. --by isa, cc, policy: values of the axis in
 * one folder (two or more words that are no folders; without any, all that the folder has, in
 * the usual order), or the first value in the first folder against the others in the second.
 * EXIT_USAGE or EXIT_BAD_INPUT where it makes no sense. The request's words must outlive it. */
int sides_open(const struct sides_request *request, struct sides *s, struct error *e);
void sides_close(struct sides *s);

/* All values that an axis has in results that are open already, each against the first in the
 * usual order. They stay the caller's. False where there are fewer than two. */
bool sides_of_axis(const struct results *r, const char *folder, const char *axis, struct sides *s);

#endif
