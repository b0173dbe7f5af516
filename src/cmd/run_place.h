// SPDX-License-Identifier: MIT
/* The folder in which a run grows. A folder of results that holds a run keeps it whole until a
 * newer one is done: the newer run grows in a folder beside it, .NAME.unfinished-RUN, and the two
 * are then exchanged at once. A run without an older one grows in its own place.
 *
 * A killed run
 * leaves nothing that is taken for something else: the folder beside holds the run that its name
 * says, until the exchange; from then on it holds another, the one to be removed. */
#ifndef ULPLAB_RUN_PLACE_H
#define ULPLAB_RUN_PLACE_H

#include <stdbool.h>
#include <jansson.h>

#include "base/error.h"
#include "model/record.h"

enum { PLACE_SIZE = 1024 };

struct run_place {
    char home[PLACE_SIZE];  /* the folder of results */
    char grows[PLACE_SIZE]; /* the folder of the run's files until it is done: home, or a folder
                               beside it */
    int lock, beside;       /* both folders, held by one run at a time; -1: not held */
};

/* Makes the folder and locks it; completes what a killed run left half done. */
int run_place_open(struct run_place *p, const char *home, struct error *e);
void run_place_close(struct run_place *p);

/* Chooses where a new run of this identity grows. */
int run_place_begin(struct run_place *p, const char *run, struct error *e);
/* Returns machine.json of the run that would be resumed; NULL if there is none. */
json_t *run_place_machine(const char *home, bool (*is_mine)(const json_t *machine, const void *),
                          const void *context);
/* Chooses the run to resume: the newest for which `is_mine` is true. Returns false if there is
 * none. */
bool run_place_resume(struct run_place *p, bool (*is_mine)(const json_t *machine, const void *),
                      const void *context);
/* Copies the files that outlive runs into the new run's folder. */
int run_place_carry(const struct run_place *p, struct error *e);
/* Puts the finished run into its place; files there that belong to no run stay. */
int run_place_take(struct run_place *p, struct error *e);

/* Says on stderr that the folder's run, or a newer one next to it, did not end. */
void run_place_note(const char *home);

#endif
