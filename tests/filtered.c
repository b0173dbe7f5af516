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

struct registry registry_of_filter(const char *filter)
{
    struct registry r;
    struct cpu cpu;
    struct error e;
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    if (registry_open(&r, &cpu, &filter, filter != NULL, &e)) fail_msg("%s", e.text);
    return r;
}
