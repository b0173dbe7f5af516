// SPDX-License-Identifier: MIT
#include "model/arguments.h"

#include <stddef.h>
#include <string.h>

enum {
    SOFTMAX = ARGUMENT_LOG_OUTPUT,
    LAYERNORM = ARGUMENT_EPS | ARGUMENT_GAMMA | ARGUMENT_BETA | ARGUMENT_STATS,
};

/* The first row that matches holds; other operations have none. */
static const struct {
    const char *op, *algorithm; /* the beginning of the algorithm's name */
    unsigned arguments;
} table[] = {
    {"softmax", "scaled", SOFTMAX | ARGUMENT_SCALE},
    {"softmax", "", SOFTMAX},
    {"log_softmax", "scaled", SOFTMAX | ARGUMENT_SCALE},
    {"log_softmax", "", SOFTMAX},
    {"layernorm", "", LAYERNORM},
    /* The code of layernorm, called without gamma and beta. */
    {"layernorm_bare", "", ARGUMENT_EPS | ARGUMENT_STATS},
    {"rmsnorm", "", LAYERNORM & ~ARGUMENT_BETA},
    {"rmsnorm_bare", "", ARGUMENT_EPS | ARGUMENT_STATS},
};

unsigned arguments_of(const char *op, const char *algorithm)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].op, op) &&
            !strncmp(table[i].algorithm, algorithm, strlen(table[i].algorithm)))
            return table[i].arguments;
    return 0;
}
