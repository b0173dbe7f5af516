// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "filtered.h"

#include <cmocka.h>

struct registry registry_or_skip(const char *filter)
{
    struct registry r;
    int code = filtered_registry(&r, filter);
    if (code && test_filter()) skip();
    assert_int_equal(code, 0);
    return r;
}
