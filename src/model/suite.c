// SPDX-License-Identifier: MIT
#include "model/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"

/* scripts/kernels.awk reads the names of kernels here. */
static const struct suite suites[] = {
    {.number = 1,
     /* Of each operation the plain kernel, the classic algorithms, and those on the C library and
      * SLEEF; of the rows' operations the invariant kernel, too. */
     .kernels =
         "exp/glibc exp/sleef log/glibc log/sleef log2/glibc log2/sleef gelu/glibc gelu/sleef "
         "sigmoid/glibc sigmoid/sleef softmax/plain softmax/threepass softmax/twopass "
         "softmax/online softmax/sleef softmax/invariant log_softmax/threepass log_softmax/sleef "
         "log_softmax/invariant logsumexp/plain logsumexp/shifted logsumexp/twopass "
         "logsumexp/online logsumexp/sleef moments/plain moments/textbook moments/twopass "
         "moments/welford moments/pairwise moments/cascade moments/invariant layernorm/plain "
         "layernorm/twopass layernorm/cascade layernorm/invariant logsumexp/invariant "
         "rmsnorm/plain rmsnorm/twopass rmsnorm/invariant",
     .policies = "off fast",
     .isas = "scalar avx2 avx512",
     /* In L1, in L2, and beyond, on today's CPUs; they are the same on every one. */
     .shapes = {{16, 64}, {16, 4096}, {64, 16384}},
     .shape_count = 3},
};

const struct suite *suite_find(size_t number)
{
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (suites[i].number == number) return &suites[i];
    return NULL;
}

bool suite_has(const struct suite *s, const struct variant *v)
{
    char name[80];
    snprintf(name, sizeof name, "%s/%s", v->op, v->algorithm);
    return !v->study && !v->peer && !strcmp(v->dtype, "f32") &&
           list_has(s->policies, ' ', v->policy) && list_has(s->isas, ' ', v->isa) &&
           list_has(s->kernels, ' ', name);
}

bool suite_has_first(const struct suite *s, const struct variant *v)
{
    return suite_has(s, v) && strlen(v->policy) == strcspn(s->policies, " ") &&
           !strncmp(v->policy, s->policies, strlen(v->policy));
}

int suite_narrow(const struct suite *s, struct registry *r, struct error *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (suite_has(s, &r->variants[i])) r->variants[kept++] = r->variants[i];
    r->count = kept;
    if (kept) return 0;
    return fail(e, EXIT_USAGE,
                "--suite %zu: this build has none of its kernels; build with POLICIES=off",
                s->number);
}
