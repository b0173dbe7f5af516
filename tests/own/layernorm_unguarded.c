// SPDX-License-Identifier: MIT
/* A user's kernel that reads gamma and beta without asking whether they are NULL. Every command
 * that makes its own inputs passes them. Status: ok */
#include <math.h>

#include "kernel.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < j->n; i++) sum += x[i];
        const double mean = sum / (double)j->n;
        for (size_t i = 0; i < j->n; i++) squares += (x[i] - mean) * (x[i] - mean);
        const double rstd = 1 / sqrt(squares / (double)j->n + (double)j->eps);
        for (size_t i = 0; i < j->n; i++)
            y[i] = (float)((x[i] - mean) * rstd * j->gamma[i] + j->beta[i]);
    }
}

const struct kernel KERNEL = {
    .op = "layernorm", .algorithm = "unguarded", .dtype = "f32", .run = run};
