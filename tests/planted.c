// SPDX-License-Identifier: MIT
#include "planted.h"

#include "oracle/oracle.h"
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
    struct registry r = {.variants = keep(calloc(count, sizeof *r.variants)), .count = count};
    for (size_t i = 0; i < count; i++)
        r.variants[i] = planted_variant(&kernels[i], "scalar", "test", "off");
    return r;
}

void planted_rounded(const char *op, const struct job *j)
{
    const struct oracle *oracle = oracle_find(op);
    double *y = malloc((j->n + OUTPUTS_MAX) * sizeof *y);
    struct parameters p = {.scale = j->scale, .eps = j->eps, .gamma = j->gamma, .beta = j->beta};
    struct oracle_row facts;
    for (size_t r = 0; r < j->rows; r++) {
        oracle->row((const float *)j->x + r * j->x_stride, j->n, &p, y, &facts);
        float *out = (float *)j->y + r * j->y_stride;
        size_t direct = oracle->elementwise ? j->n : oracle->columns;
        for (size_t i = 0; i < direct; i++) out[i] = (float)y[i];
        if (j->stats)
            for (size_t i = 0; i < 2; i++) j->stats[2 * r + i] = (float)y[j->n + i];
    }
    free(y);
}
