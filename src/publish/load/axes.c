#include "publish/load/axes.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool axes_parse(const char *id, struct axes *a)
{
    if (sscanf(id, "%23[^/]/%39[^/]/dtype=%15[^/]/isa=%15[^/]/cc=%39[^/]/policy=%39[^/]", a->op,
               a->algorithm, a->dtype, a->isa, a->cc, a->policy) != 6)
        return false;
    bool usual = !strcmp(a->dtype, "f32");
    snprintf(a->group, sizeof a->group, "%s%s%s", a->op, usual ? "" : " ", usual ? "" : a->dtype);
    return true;
}

static const struct {
    const char *name;
    size_t offset, size;
} axes_table[] = {
#define AXIS(f)                                                                                    \
    {                                                                                              \
#f, offsetof(struct axes, f), sizeof(((struct axes *)NULL)->f)                             \
    }
    AXIS(op), AXIS(algorithm), AXIS(dtype), AXIS(isa),
    AXIS(cc), AXIS(policy)
#undef AXIS
};
enum { AXES = sizeof axes_table / sizeof *axes_table };

const char *axes_value(const struct axes *a, const char *axis)
{
    for (size_t i = 0; i < AXES; i++)
        if (!strcmp(axes_table[i].name, axis)) return (const char *)a + axes_table[i].offset;
    return "";
}

void axes_set(struct axes *a, const char *axis, const char *value)
{
    for (size_t i = 0; i < AXES; i++)
        if (!strcmp(axes_table[i].name, axis))
            snprintf((char *)a + axes_table[i].offset, axes_table[i].size, "%s", value);
}

bool axes_differ_only_in(const struct axes *a, const struct axes *b, const char *axis)
{
    for (size_t i = 0; i < AXES; i++) {
        const char *name = axes_table[i].name;
        bool differ = strcmp(axes_value(a, name), axes_value(b, name)) != 0;
        if (differ != !strcmp(name, axis)) return false;
    }
    return true;
}

bool axes_are_of_library(const struct axes *a)
{
    return !strcmp(a->cc, "lib");
}

bool axes_are_of_anyone(const struct axes *a)
{
    static const char *const algorithms[] = {"plain", "eigen", "highway", "xsimd"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (!strcmp(a->algorithm, algorithms[i])) return true;
    return false;
}

bool axes_are_of_libulp(const struct axes *a)
{
    return axes_are_of_library(a) && !strcmp(a->algorithm, "peer-libulp");
}

bool axes_same_kernel(const struct axes *a, const struct axes *b)
{
    return !strcmp(a->op, b->op) && !strcmp(a->algorithm, b->algorithm) &&
           !strcmp(a->dtype, b->dtype);
}
