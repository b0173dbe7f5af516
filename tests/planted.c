// SPDX-License-Identifier: MIT
#include "planted.h"

#include "test.h"

struct variant planted_variant(const struct kernel *k, const char *isa, const char *cc,
                               const char *policy)
{
    struct variant v = {
        .dtype = k->dtype, .isa = isa, .cc = cc, .policy = policy, .kernel = k, .study = k->study};
    snprintf(v.op, sizeof v.op, "%s", k->op);
    snprintf(v.algorithm, sizeof v.algorithm, "%s", k->algorithm);
    snprintf(v.id, sizeof v.id, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", v.op, v.algorithm, v.dtype,
             isa, cc, policy);
    return v;
}

struct registry planted_registry(const struct kernel *kernels, size_t count)
{
    struct registry r = {.variants = calloc(count, sizeof *r.variants), .count = count};
    assert_non_null(r.variants);
    for (size_t i = 0; i < count; i++)
        r.variants[i] = planted_variant(&kernels[i], "scalar", "test", "off");
    return r;
}
