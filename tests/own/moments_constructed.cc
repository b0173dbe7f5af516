// SPDX-License-Identifier: MIT
/* A user's kernel in C++ with static objects: their constructors run in the order of the language,
 * in the process that calls the kernel, and append their parent's process id to the file that
 * ULPLAB_CONSTRUCTED names. Status: ok */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel.h"

namespace
{
int order;

__attribute__((constructor(200))) void first()
{
    order = 1;
}

struct table {
    float one;
    explicit table(int before) : one(order == before ? 1.0f : 0.0f)
    {
        order++;
        const char *path = getenv("ULPLAB_CONSTRUCTED");
        int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
        if (fd < 0) return;
        dprintf(fd, "%d\n", static_cast<int>(getppid()));
        close(fd);
    }
    ~table() { one = 0; }
};
table a(1);
} // namespace

/* This template and the next have external linkage: each build must keep its own instance, whatever
 * ISA the others are compiled for. */
template <int which> struct shared {
    struct one_more {
        float one;
        one_more() : one(float(which)) {}
    };
    static one_more value;
};
template <int which> typename shared<which>::one_more shared<which>::value;

template <typename real> __attribute__((noinline)) real sum(const float *x, size_t n, real mean)
{
    real s = 0;
    for (size_t i = 0; i < n; i++) s += mean == 0 ? real(x[i]) : (x[i] - mean) * (x[i] - mean);
    return s;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = static_cast<const float *>(j->x) + r * j->x_stride;
        float *y = static_cast<float *>(j->y) + r * j->y_stride;
        double n = double(j->n), mean = sum<double>(x, j->n, 0) / n;
        y[0] = float(mean) * a.one * shared<1>::value.one;
        y[1] = float(sum<double>(x, j->n, mean) / n);
    }
}

extern "C" const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "constructed",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 4,
    .bytes = 4,
    .lanes = 1,
    .chains = 1,
    .promise = {.ulp_off = 1, .ulp_fused = 1},
    .run = run,
};
