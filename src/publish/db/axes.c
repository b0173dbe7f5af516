// SPDX-License-Identifier: MIT
#include "publish/db/axes.h"

#include <stdio.h>

bool axes_parse(const char *id, struct axes *a)
{
    return sscanf(id, "%23[^/]/%39[^/]/dtype=%15[^/]/isa=%15[^/]/cc=%39[^/]/policy=%39[^/]", a->op,
                  a->algorithm, a->dtype, a->isa, a->cc, a->policy) == 6;
}
