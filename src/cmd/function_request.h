// SPDX-License-Identifier: MIT
/* The options of `try` and `flags` that say which function of a user's is meant. */
#ifndef ULPLAB_FUNCTION_REQUEST_H
#define ULPLAB_FUNCTION_REQUEST_H

#include "cmd/options.h"
#include "study/trial.h"

/* Returns the request for `function`, whose file is the first positional argument. */
struct trial_request function_request(const struct options *, const char *function,
                                      const char *isa);

#endif
