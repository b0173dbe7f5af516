// SPDX-License-Identifier: MIT
/* --param NAME=VALUE: the parameters of an operation, for every command that runs kernels on a
 * user's data. gamma and beta are files: one value per column. */
#ifndef ULPLAB_PARAMETERS_H
#define ULPLAB_PARAMETERS_H

#include <jansson.h>

#include "cmd/options.h"
#include "measure/bench_plan.h"
#include "model/npy.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/trial.h"

struct given {
    struct parameters p; /* gamma and beta point into the arrays */
    struct npy gamma, beta;
};

/* EXIT_USAGE for an unknown parameter, EXIT_BAD_INPUT for a file of gamma or beta that cannot be
 * read. given_free() is called in any case. */
int given_parse(const struct options *o, struct given *g, struct error *e);
/* EXIT_USAGE if a parameter was given that this variant does not take. */
int given_fits(const struct options *o, const struct variant *v, struct error *e);
/* EXIT_BAD_INPUT where gamma or beta is not of n values. */
int given_length(const struct given *g, size_t n, struct error *e);
/* Takes only eps, 0 if it is not given: users' functions often have it as a constant, and gamma and
 * beta have the length of a row. */
int given_eps(const struct options *o, double *eps, struct error *e);
/* {"scale", "eps", "gamma", "beta"}: the last two, whether they were given. */
json_t *given_record(const struct parameters *p);
void given_free(struct given *g);

/* The options of `try` and `flags` that say which function of a user's is meant. */

/* Returns the request for `function`, whose file is the first positional argument. */
struct trial_request function_request(const struct options *, const char *function,
                                      const char *isa);

/* The timing options of bench and duel, from the command line. */

/* Returns the request of --shapes, --n, --rows, --family, --threads, --processes, --samples and
 * --seed. input: the array of --input, empty where that was not given. Borrows from both. */
struct bench_request timing_options(const struct options *o, const struct npy *input);
/* timing_options() at one shape that lives in L1 if none is given, because two programs or two
 * variants are compared and not shapes. */
struct bench_request timing_options_at_one_shape(const struct options *o, const struct npy *input);

#endif
