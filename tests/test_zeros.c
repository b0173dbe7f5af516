// SPDX-License-Identifier: MIT
/* Functions that behave like x or x/2 near 0 must keep the sign of a zero, which no error in ulp
 * shows. */
#include "model/registry.h"
#include "oracle/oracle.h"

#include "filtered.h"
#include "test.h"

enum { N = 35 }; /* complete vectors, and a tail */
static const char *const ops[] = {"expm1", "log1p", "tanh", "erf", "silu", "gelu", "sin"};

static bool keeps_zeros(const struct variant *v)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(v->op, ops[i])) return !v->study && v->status == STATUS_OK;
    return false;
}

TEST(zeros_keep_their_sign)
{
    struct registry r = registry_of_filter(NULL);
    float x[N];
    double wide[N], y[N];
    size_t tested = 0, wrong = 0;
    for (size_t i = 0; i < N; i++) wide[i] = x[i] = i % 3 ? -0.0f : 0.0f;
    for (size_t k = 0; k < r.count; k++) {
        const struct variant *v = &r.variants[k];
        if (!keeps_zeros(v) || !v->kernel->promise.specials) continue;
        if (policy_promises(v->policy) == PROMISES_NOTHING) continue;
        const bool is_double = !strcmp(v->dtype, "f64");
        const void *in = is_double ? (void *)wide : (void *)x;
        memset(y, 0x7f, sizeof y);
        const struct job job = row_job(in, N, y, NULL);
        v->kernel->run(&job);
        bool kept = !memcmp(in, y, is_double ? sizeof wide : sizeof x);
        if (!kept) print_error("%s: a zero has another sign\n", v->id);
        wrong += !kept;
        tested++;
    }
    assert_true(tested > 0);
    assert_int_equal(wrong, 0);
}

/* The oracle keeps the sign of a zero, too. */
TEST(exact_zeros_keep_their_sign)
{
    const float x[2] = {0.0f, -0.0f};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        double y[2];
        struct oracle_row facts;
        oracle_find(ops[i])->row(x, 2, &parameters_default, y, &facts);
        assert_true(y[0] == 0 && !signbit(y[0]));
        assert_true(y[1] == 0 && signbit(y[1]));
    }
}
