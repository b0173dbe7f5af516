// SPDX-License-Identifier: MIT
#include "study/specials.h"

#include <math.h>

#include "model/npy.h"

int specials_write(const char *path, struct error *e)
{
    static const float specials[] = {
        NAN,        INFINITY,        -INFINITY,        0.0f, -0.0f, 0x1p-149f,
        -0x1p-130f, 0x1.fffffep127f, -0x1.fffffep127f, 88.8f};
    enum { KINDS = sizeof specials / sizeof *specials, N = 37 };
    float x[2 * KINDS * N];
    for (size_t r = 0; r < 2 * KINDS; r++)
        for (size_t i = 0; i < N; i++) {
            bool special = r >= KINDS || i == 5 || i == N - 1;
            x[r * N + i] = special ? specials[r % KINDS] : (float)((i * 37 + r) % 64) / 16 - 2;
        }
    struct npy array = {.data = x, .rows = 2 * KINDS, .cols = N, .ndim = 2};
    return npy_write(path, &array, e);
}
