// SPDX-License-Identifier: MIT
/* The code path that the invariant kernels take for a job, on both sides of each threshold; the
 * thresholds depend on the cache sizes. */
#include "filtered.h"
#include "test.h"
#include "model/registry.h"

/* Returns a kernel of one variant of an operation: the paths are the same for all variants. */
static const struct kernel *kernel_of(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].op, op) && !strcmp(r->variants[i].isa, "avx2"))
            return r->variants[i].kernel;
    return NULL;
}

/* Returns whether a kernel takes a path, which the last condition of that name decides. */
static bool takes_path(const struct kernel *k, const struct job *j, const char *path)
{
    struct code_path c[CODE_PATHS_MAX];
    size_t count = k->paths(j, c);
    bool taken = false;
    assert_in_range(count, 1, CODE_PATHS_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(c[i].taken, (c[i].have > c[i].limit) == c[i].beyond);
        if (!strcmp(c[i].name, path)) taken = c[i].taken;
    }
    return taken;
}

TEST(test_thresholds)
{
    static const struct caches small = {32 << 10, 256 << 10, 1 << 20},
                               large = {32 << 10, 1 << 20, 64 << 20};
    static const struct {
        const char *op, *path;
        size_t rows, n;
        const struct caches *caches;
        bool want;
    } table[] = {
        /* streamed: x and y exceed two thirds of the last level */
        {"softmax", "streamed", 85, 1024, &small, false},
        {"softmax", "streamed", 86, 1024, &small, true},
        {"softmax", "streamed", 86, 1024, &large, false},
        {"softmax", "streamed", SIZE_MAX / 2, 1024, &large, true},
        {"layernorm", "streamed", 86, 1024, &small, true},
        {"layernorm", "streamed", 85, 1024, &small, false},
        {"softmax", "streamed", 1 << 20, 64, &small, true},
        {"softmax", "streamed", 1 << 20, 63, &small, false}, /* less than four lines */
        {"layernorm", "streamed", 1 << 20, 63, &small, false},
        {"logsumexp", "together", 8, 4096, &small, true}, /* on every machine */
        {"logsumexp", "together", 8, 4097, &large, false},
        /* eight rows may take a sixteenth of L2, so a row 1/128 of it */
        {"softmax", "together", 8, 512, &small, true},
        {"softmax", "together", 8, 513, &small, false},
        {"softmax", "together", 8, 513, &large, true},
        {"softmax", "together", 8, 4097, &large, false},
        {"softmax", "together", 2, 64, &large, false},
        {"softmax", "together", 3, 64, &large, true},
        {"logsumexp", "read ahead", 64, 1024, &small, false}, /* half of L3 */
        {"logsumexp", "read ahead", 65, 1024, &small, true},
        {"logsumexp", "read ahead", 65, 1024, &large, false},
        {"logsumexp", "together", 1, 64, &large, false},
        {"logsumexp", "together", 2, 64, &large, true},
        {"logsumexp", "in trees", 1, 127, &large, true}, /* an octet: 128, on every machine */
        {"logsumexp", "in trees", 8, 128, &small, false},
        /* a job from memory: a row may take an eighth of L1 */
        {"softmax", "together", 1 << 20, 1024, &small, true},
        {"softmax", "together", 1 << 20, 1025, &small, false},
        {"layernorm", "together", 1 << 20, 512, &small, true},
        {"layernorm", "together", 1, 513, &large, false},
        {"layernorm", "together", 2, 2048, &large, true}, /* a row may take a quarter of L1 */
        {"layernorm", "together", 2, 2049, &large, false},
        {"layernorm", "by turns", 1 << 20, 2048, &small, true},
        {"layernorm", "by turns", 1 << 20, 2047, &small, false},
        {"layernorm", "by turns", 4, 1 << 20, &small, true},
        {"layernorm", "by turns", 3, 1 << 20, &small, false}, /* too few rows side by side */
        {"layernorm", "by turns", 5, 1 << 14, &small, false}, /* too small for memory */
        {"rmsnorm", "together", 1 << 20, 512, &small, true},
        {"rmsnorm", "streamed", 86, 1024, &small, true},
        {"rmsnorm", "by turns", 4, 1 << 20, &small, true},
        {"moments", "together", 1, 512, &small, true},
        {"moments", "together", 3, 513, &large, true},
        {"moments", "together", 2, 513, &large, false},
        {"log_softmax", "together", 1, 64, &large, false},
        {"log_softmax", "together", 2, 64, &large, true},
        {"log_softmax", "together", 8, 513, &small, false},
        {"log_softmax", "together", 8, 513, &large, true},
        {"log_softmax", "streamed", 86, 1024, &small, true},
        {"log_softmax", "recomputed", 1, (1 << 21) + 1, &large, false},
        {"softmax", "recomputed", 1, 1 << 21, &large, false},
        {"softmax", "recomputed", 1, (1 << 21) + 1, &large, true},
    };
    struct registry r = registry_or_skip("algorithm=invariant dtype=f32");
    size_t asked = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct kernel *k = kernel_of(&r, table[i].op);
        if (!k) continue;
        const struct job j = {.rows = table[i].rows,
                              .n = table[i].n,
                              .log_output = k->log_output,
                              .caches = *table[i].caches};
        asked++;
        if (takes_path(k, &j, table[i].path) != table[i].want)
            fail_msg("%s %zux%zu: %s is %d", table[i].op, j.rows, j.n, table[i].path,
                     !table[i].want);
    }
    assert_true(enough(asked, sizeof table / sizeof *table));
}
