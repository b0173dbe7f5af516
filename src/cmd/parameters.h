// SPDX-License-Identifier: MIT
/* --param NAME=VALUE: the parameters of an operation, for every command that runs kernels on a
 * user's data. gamma and beta are files: one value per column. */
#ifndef ULPLAB_PARAMETERS_H
#define ULPLAB_PARAMETERS_H

#include <jansson.h>

#include "cmd/options.h"
#include "model/npy.h"
#include "model/registry.h"
#include "oracle/oracle.h"

struct given {
    struct parameters p; /* gamma and beta point into the arrays */
    struct npy gamma, beta;
};

/* EXIT_USAGE for an unknown parameter, EXIT_BAD_INPUT for a file of gamma or beta that cannot be
 * read. given_free() is called in any case. */
int given_parse(const struct options *o, struct given *g, struct error *e);
/* EXIT_USAGE where a parameter was given that this variant does not take: it would be measured as
 * what it is not. */
int given_fits(const struct options *o, const struct variant *v, struct error *e);
/* EXIT_BAD_INPUT where gamma or beta is not of n values. */
int given_length(const struct given *g, size_t n, struct error *e);
/* {"scale", "eps", "gamma", "beta"}: the last two, whether they were given. */
json_t *given_record(const struct parameters *p);
void given_free(struct given *g);

#endif
