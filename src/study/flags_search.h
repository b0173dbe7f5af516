// SPDX-License-Identifier: MIT
/* The search for the flags by which a kernel gains: each alone, each left out of all, and the
 * fewest that keep the gain without giving up more than is allowed. */
#ifndef ULPLAB_FLAGS_SEARCH_H
#define ULPLAB_FLAGS_SEARCH_H

#include "study/flags_lab.h"

struct flags_wish {
    json_t *allow;    /* words of --allow, an array */
    double keep;      /* the share of the gain, 0 to 1 */
    size_t processes; /* of each timing; twice as many verify the answer */
};

/* The answer (publish/sql/choice.sql): a set, its speed over the baseline, and the share of the
 * best allowed gain that it keeps. */
struct flags_choice {
    flag_set set, best; /* best: the fastest that is allowed */
    /* The fewest words whose machine code is that of the set, without those of the baseline. */
    char words[FLAGS_TEXT_ROOM];
    bool is_all; /* the set gives up all that --all does, and `words` are of that as written */
    struct ratio speed, best_speed, all_speed;
    double kept;      /* of the best allowed gain; 1 where there is none */
    bool pays;        /* some allowed set is faster than the baseline, beyond its interval */
    size_t processes; /* of the timing that the speeds are of */
    const json_t *effect, *all_effect; /* borrowed from the lab */
    /* The fewest flags that explain 90% of the gain of all, whatever they give up; by logarithms.
     */
    flag_set explains;
    double explained; /* the share; NAN where all gain nothing */
};

struct flags_found {
    json_t *alone; /* times of the first timing, rows of bench */
    struct flags_choice choice;
};

/* Reports progress: what is being done, and the share of the kernel's work that is done. */
struct flags_watch {
    void (*tell)(void *context, double share, const char *what);
    void *context;
};

/* Runs the search in a lab that is open. flags_found_free() where it returned 0. EXIT_PARTIAL where
 * the kernel cannot be built under the baseline. */
int flags_search(struct flags_lab *lab, const struct flags_wish *wish, struct flags_watch watch,
                 struct flags_found *found, struct error *e);
void flags_found_free(struct flags_found *found);

/* Writes the command line of c->set, which was compiled, as --all was: its fewest words. */
int flags_search_spell(struct flags_lab *lab, struct flags_choice *c, struct error *e);

/* Returns the effect of a set, compared with the baseline, as the lab's judge says it. */
const json_t *flags_search_effect(const struct flags_lab *lab, flag_set set);

#endif
