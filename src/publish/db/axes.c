// SPDX-License-Identifier: MIT
#include "publish/db/axes.h"

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

size_t variant_id(const struct axes *a, char id[VARIANT_ID_MAX])
{
    int length = snprintf(id, VARIANT_ID_MAX, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", a->op,
                          a->algorithm, a->dtype, a->isa, a->cc, a->policy);
    return length < VARIANT_ID_MAX ? (size_t)length : VARIANT_ID_MAX - 1;
}

bool axes_are_of_library(const struct axes *a)
{
    return !strcmp(a->cc, "lib");
}
