// SPDX-License-Identifier: MIT
/* make certify, at reduced counts: it writes a line for every operation on every input family and
 * one for the adversarial inputs, all of them certified. */
// test: 17 s of a core
#include "base/error.h"
#include "measure/accuracy.h"
#include "model/record.h"
#include "oracle/inputs.h"

#include "drive.h"
#include "exact.h"
#include "facts.h"
#include "scratch.h"

TEST(every_operation_and_family_is_certified)
{
    float x[] = {-1, 2, 0x1p-140f, 80, 3, -60, 0.5f};
    struct npy row = {.data = x, .rows = 1, .cols = sizeof x / sizeof *x, .ndim = 2};
    char name[ADVERSARIAL_NAME], path[200];
    struct error e = {""};
    assert_int_equal(adversarial_keep(scratch, "logsumexp", &row, name, &e), 0);

    assert_says(drive_program("certify"), 0, "promised: below 2^-10", "--out %s --elements 300",
                scratch);

    json_t *records, *record;
    size_t i;
    snprintf(path, sizeof path, "%s/certificate.jsonl", scratch);
    assert_int_equal(record_read(path, false, &records, &e), 0);
    static const char *const ops[] = {
        "softmax",     "log_softmax", "logsumexp", "moments", "layernorm", "layernorm_bare",
        "rmsnorm",     "exp",         "expkappa",  "log",     "log2",      "sigmoid",
        "gelu",        "exp2",        "expm1",     "log1p",   "tanh",      "erf",
        "silu",        "softplus",    "sin",       "cos",     "rsqrt",     "gelutanh",
        "rmsnorm_bare"};
    for (i = 0; i < sizeof ops / sizeof *ops; i++)
        assert_int_equal(fact_count(records, "op=%s", ops[i]),
                         FAMILY_SPECIAL + !strcmp(ops[i], "logsumexp") +
                             (f64_oracle_find(ops[i]) ? EXACT_KINDS : 0));
    assert_int_equal(fact_count(records, "family=%s", "adversarial"), 1);
    json_array_foreach(records, i, record)
    {
        bool f64 = !strcmp(record_text(record, "dtype"), "f64");
        const double promise = f64 ? exact_promise_f64(record_text(record, "op")) : 0x1p-10;
        bool adversarial = !strcmp(record_text(record, "family"), "adversarial");
        assert_facts(record, "certified=true max_ulp<%.17g bits>=200 rows>=%d values>=%.17g",
                     promise, adversarial ? 1 : 4, record_number(record, "rows"));
        if (!f64) assert_facts(record, "beyond=0");
    }
}

TEST(usage_is_told)
{
    struct drive d = {.program = drive_program("certify"), .arguments = {"--elements", "0"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_USAGE);
    assert_non_null(strstr(o.err, "--elements"));
}

TEST_GROUP(scratch_open, scratch_close)
