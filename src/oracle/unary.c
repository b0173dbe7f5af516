// SPDX-License-Identifier: MIT
#include "oracle/unary.h"

#include <stdbool.h>

const struct unary_rows *unary_rows_here(void)
{
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return wide ? &unary_rows_avx512 : &unary_rows_avx2;
}
