// SPDX-License-Identifier: MIT
/* A hunt's state: islands, each a search of its own from one row to better ones, and the groups in
 * which they share their gains. */
#ifndef ULPLAB_HUNT_PARTS_H
#define ULPLAB_HUNT_PARTS_H

#include "study/hunt_plan.h"
#include "study/variation.h"

struct island {
    struct variation vary;
    float *low, *high; /* [n]: the box of the guided search */
    float *child;      /* [children][2][n]: halves of it, low and high */
    float *rows;       /* [HUNT_BATCH][n]: a batch, with its scores */
    double scores[HUNT_BATCH];
    float *best; /* [n]: the best row so far, with its score */
    double score;
    float *current; /* [n]: the row that is varied, with its score */
    double current_score;
    float *gathered; /* [n]: a row to try first: the gains of `gathers` rows, together */
    size_t gathers;
    bool fresh; /* begins anew in the next round */
};

struct hunt {
    const struct hunt_plan *plan;
    size_t rounds;
    float *frozen; /* [HUNT_ISLANDS][n]: the islands' best rows before this round */
    /* For a group's first island: the group's size, and its row and score before this round. */
    size_t group[HUNT_ISLANDS];
    float *base; /* [HUNT_ISLANDS][n] */
    double base_score[HUNT_ISLANDS];
    float *row; /* [n]: room for a row on its way from one island to others */
    struct island islands[HUNT_ISLANDS];
};

/* ---- One island (hunt_island.c) -------------------------------------------------------------- */

/* Opens an island; its number decides the seed and the kind of its first row. Returns false where
 * memory is short; island_close() in any case. */
bool island_open(struct island *, const struct hunt_plan *, size_t number);
void island_close(struct island *);
/* Plays a round: HUNT_STEPS batches. Reads the hunt, changes its own island alone. */
void island_play_round(const struct hunt *, size_t number, struct island *);
/* Moves the island to a row, from which the search goes on. */
void island_move_to(struct island *, size_t n, const float *row, double score);
/* Copies into `into` the elements in which `row` differs from `from`. */
void row_take_changes(size_t n, float *into, const float *from, const float *row);

/* ---- Groups of islands (hunt_groups.c) ------------------------------------------------------- */

/* Runs between rounds: islands of a group share their gains; at fixed rounds groups join or
 * part. */
void hunt_regroup(struct hunt *);

#endif
