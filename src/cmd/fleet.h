// SPDX-License-Identifier: MIT
/* A fleet: one task of `ulplab run` per type of node, on Slurm (docs/fleet.md). */
#ifndef ULPLAB_FLEET_H
#define ULPLAB_FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cmd/options.h"

enum { FLEET_TYPES_MAX = 1024, FLEET_NAME = 64, FLEET_SELECT = 512 };
/* The word for the features of nodes that have none. */
#define FLEET_NO_FEATURES "-"

enum fleet_state { FLEET_MISSING, FLEET_WAITING, FLEET_RUNNING, FLEET_DONE };

struct fleet_type {
    char name[FLEET_NAME];     /* the type's name, which can be a file's */
    char select[FLEET_SELECT]; /* its nodes' features, joined by &, or the partition */
    size_t nodes;
    enum fleet_state state;
    char last[200]; /* the last line of its state file; "" */
};

struct fleet {
    char folder[900];
    bool by_partition;
    struct fleet_type *types;
    size_t count;
};

/* Returns whether all features of `subset` are in `set`. Features are joined by & or a comma. */
bool features_include(const char *set, const char *subset);

/* Reads FOLDER/types. EXIT_BAD_INPUT if there is none. */
int fleet_read(struct fleet *f, const char *folder, struct error *e);
void fleet_free(struct fleet *f);
/* Asks sinfo for the types of nodes and writes the folder: types, options, bin/, job.sh. A folder
 * that is a fleet's already keeps what it has; new types are added at the end. */
int fleet_plan(struct fleet *f, const struct options *o, struct error *e);
/* Fills in the states, from the folder and from squeue. */
int fleet_look(struct fleet *f, struct error *e);
/* Submits a task for each type that is neither done nor queued. *submitted: their number. */
int fleet_submit(struct fleet *f, size_t *submitted, struct error *e);

/* Passes the first column of each line that a command prints to `take`; EXIT_PARTIAL where the
 * command failed. */
int slurm_lines(const char *command, int (*take)(void *context, char *line, struct error *e),
                void *context, struct error *e);
/* Writes the name of the fleet's jobs. */
void slurm_job_name(const struct fleet *f, char name[FLEET_NAME]);

/* scripts/fleet/job.sh, embedded by fleet_job.S; it ends with no NUL. */
extern const char fleet_job[];
extern const size_t fleet_job_size;

#endif
