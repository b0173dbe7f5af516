// SPDX-License-Identifier: MIT
#include "filtered.h"

#include "test.h"

struct registry registry_or_skip(const char *filter)
{
    struct registry r;
    int code = filtered_registry(&r, filter);
    if (code && test_filter()) skip();
    assert_int_equal(code, 0);
    return r;
}
