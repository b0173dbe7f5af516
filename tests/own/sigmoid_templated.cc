// SPDX-License-Identifier: MIT
/* A user's kernel in C++: function templates, a static member of a class template, an inline
 * function with a local static, a vector, an exception that is caught inside. The compiler emits
 * each of them in a COMDAT group, of which the linker would keep one for all objects. */
#include <cmath>
#include <stdexcept>
#include <vector>

#include "kernel.h"

template <class T> __attribute__((noinline)) T one_over(T x)
{
    if (x == T(0)) throw std::domain_error("zero");
    return T(1) / x;
}

template <class T> struct table {
    static const T halves[4];
    static T calls;
};
template <class T> const T table<T>::halves[4] = {T(0.5), T(1), T(1.5), T(2)};
template <class T> T table<T>::calls = T(std::sqrt(4.0)) - T(1);

inline const std::vector<float> &ones(size_t n)
{
    static std::vector<float> v;
    if (v.size() < n) v.assign(n, table<float>::halves[1]);
    return v;
}

static float inverse(float x)
{
    try {
        return one_over(x);
    } catch (const std::domain_error &) {
        return INFINITY;
    }
}

static void run(const struct job *j)
{
    const std::vector<float> &one = ones(j->n);
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = static_cast<const float *>(j->x) + r * j->x_stride;
        float *y = static_cast<float *>(j->y) + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++)
            y[i] = inverse(one[i] + table<float>::calls * std::exp(-x[i]));
    }
}

extern "C" const struct kernel KERNEL = {
    .op = "sigmoid",
    .algorithm = "templated",
    .dtype = "f32",
    .run = run,
};
