// SPDX-License-Identifier: MIT
#include "study/specials.h"

#include <float.h>
#include <math.h>

#include "model/npy.h"

int specials_write(const char *path, bool in_double, struct error *e)
{
    static const double floats[] = {NAN,      INFINITY,  -INFINITY, 0.0,      -0.0,
                                    0x1p-149, -0x1p-130, FLT_MAX,   -FLT_MAX, (double)88.8f},
                        doubles[] = {NAN,       INFINITY,   -INFINITY, 0.0,      -0.0,
                                     0x1p-1074, -0x1p-1030, DBL_MAX,   -DBL_MAX, 709.9};
    enum { KINDS = sizeof floats / sizeof *floats, N = 37, ROWS = 2 * KINDS };
    const double *specials = in_double ? doubles : floats;
    double wide[ROWS * N];
    float x[ROWS * N];
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < N; i++) {
            bool special = r >= KINDS || i == 5 || i == N - 1;
            wide[r * N + i] = special ? specials[r % KINDS] : (double)((i * 37 + r) % 64) / 16 - 2;
            x[r * N + i] = (float)wide[r * N + i];
        }
    const struct npy array = {
        .data = x, .doubles = in_double ? wide : NULL, .rows = ROWS, .cols = N, .ndim = 2};
    return npy_write(path, &array, e);
}
