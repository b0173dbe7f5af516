// SPDX-License-Identifier: MIT
#include "model/suite.h"

#include <stdio.h>
#include <string.h>

/* The kernels of suite 1: of each operation the plain kernel, the classic algorithms, and those on
 * the C library and SLEEF; of the rows' operations the invariant kernel, too. */
static const char *const kernels_1[] = {"exp/glibc",
                                        "exp/sleef",
                                        "log/glibc",
                                        "log/sleef",
                                        "log2/glibc",
                                        "log2/sleef",
                                        "gelu/glibc",
                                        "gelu/sleef",
                                        "sigmoid/glibc",
                                        "sigmoid/sleef",
                                        "softmax/plain",
                                        "softmax/threepass",
                                        "softmax/twopass",
                                        "softmax/online",
                                        "softmax/sleef",
                                        "softmax/invariant",
                                        "log_softmax/threepass",
                                        "log_softmax/sleef",
                                        "log_softmax/invariant",
                                        "logsumexp/plain",
                                        "logsumexp/shifted",
                                        "logsumexp/twopass",
                                        "logsumexp/online",
                                        "logsumexp/sleef",
                                        "moments/plain",
                                        "moments/textbook",
                                        "moments/twopass",
                                        "moments/welford",
                                        "moments/pairwise",
                                        "moments/cascade",
                                        "moments/invariant",
                                        "layernorm/plain",
                                        "layernorm/twopass",
                                        "layernorm/cascade",
                                        "layernorm/invariant",
                                        "logsumexp/invariant",
                                        "rmsnorm/plain",
                                        "rmsnorm/twopass",
                                        "rmsnorm/invariant",
                                        NULL};
static const char *const policies_1[] = {"off", "fast", NULL};
static const char *const isas_1[] = {"scalar", "avx2", "avx512", NULL};
/* The shapes of suite 1, which lie in L1, in L2, and beyond, on today's CPUs; they are the same on
 * every one. */
static const struct suite_shape shapes_1[] = {{16, 64}, {16, 4096}, {64, 16384}};

static const struct suite suites[] = {
    {1, kernels_1, policies_1, isas_1, shapes_1, sizeof shapes_1 / sizeof *shapes_1},
};

const struct suite *suite_find(size_t number)
{
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (suites[i].number == number) return &suites[i];
    return NULL;
}

static bool suite_is_among(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0) list++;
    return *list;
}

bool suite_has(const struct suite *s, const struct variant *v)
{
    char name[80];
    snprintf(name, sizeof name, "%s/%s", v->op, v->algorithm);
    return !v->study && !v->peer && !strcmp(v->dtype, "f32") &&
           suite_is_among(s->policies, v->policy) && suite_is_among(s->isas, v->isa) &&
           suite_is_among(s->kernels, name);
}

int suite_narrow(const struct suite *s, struct registry *r, struct error *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (suite_has(s, &r->variants[i])) r->variants[kept++] = r->variants[i];
    r->count = kept;
    if (kept) return 0;
    return fail(e, EXIT_USAGE,
                "--suite %zu: no kernel of it in this build; build with POLICIES=off", s->number);
}
