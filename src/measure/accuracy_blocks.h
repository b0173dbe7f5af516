/* The blocks of inputs on which accuracy is measured: a family at a length of rows each, or rows
 * that were given. */
#ifndef ULPLAB_ACCURACY_BLOCKS_H
#define ULPLAB_ACCURACY_BLOCKS_H

#include <jansson.h>

#include "measure/accuracy.h"

struct input_block {
    enum family family; /* FAMILY_COUNT: its rows are given, by the plan or by `adversarial` */
    size_t rows, n;
    const struct adversarial_block *adversarial; /* or NULL: the block is for every operation */
};

struct input_blocks {
    struct input_block *items;
    size_t count;
    int grid; /* the default grid's version; 0: other blocks */
};

/* The default grid: {"version", "elements", "cells": [{"family", "n": [..]}, ..]}. Adversarial
 * inputs are no part of it, since every folder has its own; their rows keep the hash of theirs,
 * "inputs". */
json_t *accuracy_grid_record(void);

/* The plan's blocks; the caller frees items. EXIT_USAGE where a row is too long. */
int input_blocks_of(const struct accuracy_plan *plan, struct input_blocks *blocks, struct error *e);

/* The family as records name it: also "adversarial" and "input". */
const char *input_block_family(const struct input_block *);

#endif
