// SPDX-License-Identifier: MIT
/* A busy neighbour for scripts/aa: keeps a core and the memory busy, half of the time, in bursts of
 * 0.1 to 10 s. Ends with its parent's signal.
 *     neighbour SEED */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process.h"
#include "base/random.h"

enum { BYTES = 64 << 20, STEPS = 1 << 20 };

static void be_busy(char *to, const char *from, double seconds)
{
    volatile double x = 1;
    for (double end = monotonic_s() + seconds; monotonic_s() < end;) {
        memcpy(to, from, BYTES);
        for (int i = 0; i < STEPS; i++) x = x * 1.0000001;
    }
}

static void be_idle(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
    uint64_t state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    char *from = calloc(1, BYTES), *to = calloc(1, BYTES);
    if (!from || !to) return EXIT_FAILURE;
    for (;;) {
        be_idle(0.1 * pow(100, random_unit(&state)));
        be_busy(to, from, 0.1 * pow(100, random_unit(&state)));
    }
}
