#include "measure/bench_fill.h"

#include <math.h>
#include <string.h>

/* 64 bits of (seed, row, index): splitmix64's finaliser over their mixture. */
static uint64_t bits_of(uint64_t seed, size_t row, size_t index)
{
    uint64_t z =
        seed * 0x9e3779b97f4a7c15u + row * 0xd1342543de82ef95u + index * 0xaf251af3b0f025b5u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* [0, 1), 32 bits fine. */
static double uniform_of(uint64_t bits)
{
    return (double)(bits >> 32) * 0x1p-32;
}

/* Box and Muller; (0, 1] under the logarithm. */
static double normal_of(uint64_t bits)
{
    double u = ((double)(bits & 0xffffffff) + 1) * 0x1p-32;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform_of(bits));
}

static float normal(uint64_t b, size_t i)
{
    return (void)i, (float)normal_of(b);
}
static float uniform(uint64_t b, size_t i)
{
    return (void)i, (float)(2 * uniform_of(b) - 1);
}
static float logits(uint64_t b, size_t i)
{
    return (void)i, (float)(10 * normal_of(b));
}
static float offset(uint64_t b, size_t i)
{
    return (void)i, (float)(1e4 + normal_of(b));
}
static float onehot(uint64_t b, size_t i)
{
    return i ? (float)normal_of(b) : 20;
}
static float constant(uint64_t b, size_t i)
{
    return (void)b, (void)i, 1.5f;
}
static float alternating(uint64_t b, size_t i)
{
    return (void)b, i % 2 ? -1e4f : 1e4f;
}
/* Under a maximum of 0: exponentials from the normal range's end to zero's. */
static float tiny(uint64_t b, size_t i)
{
    return i ? (float)(-88 - 15 * uniform_of(b)) : 0;
}
static float wide(uint64_t b, size_t i)
{
    (void)i;
    return (float)(ldexp(1 + uniform_of(b), (int)(b % 250) - 125) * (b & 0x100 ? 1 : -1));
}

bool bench_fill(const char *family, uint64_t seed, size_t row, float *x, size_t n)
{
    static const struct {
        const char *name;
        float (*value)(uint64_t bits, size_t index);
    } families[] = {{"normal", normal}, {"uniform", uniform},         {"logits", logits},
                    {"offset", offset}, {"onehot", onehot},           {"constant", constant},
                    {"tiny", tiny},     {"alternating", alternating}, {"wide", wide}};
    size_t f = 0, count = sizeof families / sizeof *families;
    while (f < count && strcmp(families[f].name, family) != 0) f++;
    if (f == count) return false;
    for (size_t i = 0; i < n; i++) x[i] = families[f].value(bits_of(seed, row, i), i);
    return true;
}
