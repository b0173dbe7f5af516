// SPDX-License-Identifier: MIT
#include "filtered.h"

#include "test.h"

struct cpu this_cpu(const char *hidden)
{
    struct cpu cpu;
    struct error e;
    if (cpu_detect(&cpu, hidden, &e)) fail_msg("%s", e.text);
    return cpu;
}

bool cpu_runs(const char *isa)
{
    const struct cpu cpu = this_cpu(NULL);
    char reason[128];
    return cpu_supports(&cpu, isa, reason, sizeof reason);
}

struct registry registry_kept(struct registry r)
{
    void *const parts[] = {r.variants, r.seconds, r.peers};
    for (size_t i = 0; i < 3; i++)
        if (parts[i]) keep(parts[i]);
    return r;
}

struct registry registry_or_skip(const char *filter)
{
    struct registry r;
    int code = filtered_registry(&r, filter);
    if (code && test_filter()) skip();
    assert_int_equal(code, 0);
    size_t runnable = 0;
    for (size_t i = 0; i < r.count; i++)
        if (r.variants[i].status == STATUS_OK) r.variants[runnable++] = r.variants[i];
    r.count = runnable;
    if (!runnable) skip();
    return registry_kept(r);
}

struct registry registry_of_filter(const char *filter)
{
    struct registry r;
    const struct cpu cpu = this_cpu(NULL);
    struct error e;
    if (registry_open(&r, &cpu, &filter, filter != NULL, &e)) fail_msg("%s", e.text);
    return registry_kept(r);
}
