// SPDX-License-Identifier: MIT
/* Measures how much the place of the stack costs a library's call: the least time of many samples,
 * the four places that a stack of 16-byte alignment can have in a cache line taking turns in one
 * process. stack-probe PEER.so OP ROWS N */
#include <alloca.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "peer.h"

enum { PLACES = 4, SAMPLES = 3000, CALLS = 20, LINE = 64, ROOM = 256 };

static void (*kernel_of(const char *path, const char *op))(const struct job *)
{
    void *object = dlopen(path, RTLD_NOW);
    const struct peer_library *peer = object ? dlsym(object, PEER_SYMBOL) : NULL;
    if (!peer) return fprintf(stderr, "stack-probe: %s\n", dlerror()), NULL;
    const struct peer_kernel *k = peer->kernels;
    while (k->op && strcmp(k->op, op) != 0) k++;
    return k->run;
}

/* Seconds per call when the stack is `deeper` bytes further down; *place: the offset of the stack
 * pointer in its cache line. */
__attribute__((noinline)) static double sample(void (*run)(const struct job *), const struct job *j,
                                               size_t deeper, size_t *place)
{
    volatile char *hole = alloca(deeper);
    hole[0] = 0;
    *place = (uintptr_t)hole % LINE;
    double begin = monotonic_s();
    for (int i = 0; i < CALLS; i++) run(j);
    return (monotonic_s() - begin) / CALLS;
}

int main(int argc, char **argv)
{
    void (*run)(const struct job *) = argc == 5 ? kernel_of(argv[1], argv[2]) : NULL;
    if (!run) return fprintf(stderr, "usage: stack-probe PEER.so OP ROWS N\n"), EXIT_FAILURE;
    size_t rows = strtoul(argv[3], NULL, 10), n = strtoul(argv[4], NULL, 10);
    float *x = aligned_alloc(LINE, (rows * n * sizeof *x / LINE + 2) * LINE),
          *y = aligned_alloc(LINE, (rows * n * sizeof *y / LINE + 2) * LINE);
    double least[PLACES];
    size_t place[PLACES];
    if (!x || !y) return EXIT_FAILURE;
    for (size_t i = 0; i < rows * n; i++) x[i] = (float)(i * 7 % 64) / 16 - 2;
    const struct job j = {.rows = rows,
                          .n = n,
                          .x = x,
                          .x_stride = n,
                          .y = y,
                          .y_stride = n,
                          .scale = 1,
                          .eps = 1e-5f,
                          .log_output = !strcmp(argv[2], "log_softmax"),
                          .x_padded = true};
    for (size_t p = 0; p < PLACES; p++) least[p] = INFINITY;
    for (int i = 0; i < SAMPLES; i++)
        for (size_t p = 0; p < PLACES; p++)
            least[p] = fmin(least[p], sample(run, &j, ROOM + 16 * p, &place[p]));
    for (size_t p = 0; p < PLACES; p++)
        printf("stack %% 64 = %2zu: %.0f ns\n", place[p], 1e9 * least[p]);
    return EXIT_SUCCESS;
}
