// SPDX-License-Identifier: MIT
/* A user's kernel whose functions are in a shared library and in an archive, both of them
 * made of this same file. Their constructors append their parent's process id to the file that
 * ULPLAB_CONSTRUCTED names. Status: ok */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel.h"

#ifdef LIBRARY
static double one;

static __attribute__((constructor)) void construct(void)
{
    one = 1;
    const char *path = getenv("ULPLAB_CONSTRUCTED");
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (fd < 0) return;
    dprintf(fd, "%d\n", (int)getppid());
    close(fd);
}

double LIBRARY(const float *x, size_t n, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += mean == 0 ? x[i] : (x[i] - mean) * (x[i] - mean);
    return one * sum / (double)n;
}

#else
double shared_mean(const float *x, size_t n, double mean);
double archived_mean(const float *x, size_t n, double mean);

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        double mean = shared_mean(x, j->n, 0);
        y[0] = (float)mean;
        y[1] = (float)archived_mean(x, j->n, mean);
    }
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "linked",
    .dtype = "f32",
    .promise = {.ulp_off = 1, .ulp_fused = 1},
    .run = run,
};
#endif
