// SPDX-License-Identifier: MIT
/* A filter on a folder's records: which of them remain. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h" /* before cmocka.h: its macro fail() hides the lab's function */
#include "publish/db/db.h"
#include "publish/sql/facts.h"

#include "drive.h"
#include "synthetic.h"

#define HOME "/tmp/ulplab-narrow"
#define OWN(algorithm, policy) "softmax/" algorithm "/dtype=f32/isa=avx512/cc=gcc-12/policy=" policy
#define PEER(library, isa) "softmax/peer-" library "/dtype=f32/isa=" isa "/cc=lib/policy=lib"

static void time_of(const char *variant, size_t n, const char *more)
{
    add_timing(
        HOME, variant,
        (struct timing_facts){.rows = 2, .n = n, .processes = 6, .ns_per_row = 100, .more = more});
}

/* An error of log_softmax in the form of earlier versions. */
static void log_of(const char *variant)
{
    append(HOME, "log_softmax.jsonl",
           "{\"record\": \"accuracy\", \"id\": \"%s\", \"log\": true, \"family\": \"normal\","
           " \"n\": 64, \"status\": \"ok\", \"max_ulp\": 1, \"scaled_error\": 1}",
           variant);
}

static int64_t count(const struct lab_db *l, const char *table, const char *condition)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE %s", table, condition);
    return lab_number(l, sql);
}

static void a_filter_leaves_what_matches(void **state)
{
    (void)state;
    static const char *const filters[] = {"algorithm=invariant,peer-onednn isa=avx512"};
    static const char log[] = ", \"log\": true";
    static const char *const variants[] = {OWN("threepass", "off"), OWN("invariant", "off"),
                                           PEER("onednn", "avx512"), PEER("xnnpack", "auto")};
    const char *folder = HOME;
    struct lab_db l;
    struct error e;
    make_folder(HOME, (struct run_facts){0});
    for (size_t i = 0; i < 4; i++) {
        add_accuracy(HOME, variants[i], (struct accuracy_facts){.max_ulp = 2});
        time_of(variants[i], 64, "");
    }
    time_of(variants[1], 4096, "");
    time_of(OWN("invariant", "fastmath"), 64, "");
    time_of("softmax/invariant/dtype=bf16/isa=avx512/cc=gcc-12/policy=off", 64, "");
    time_of("softmax/invariant/dtype=f32/isa=avx2/cc=gcc-12/policy=off", 64, "");
    time_of(variants[2], 4096, "");
    for (size_t i = 0; i < 3; i++) {
        time_of(variants[i], 64, log);
        log_of(variants[i]);
    }
    assert_int_equal(db_read(&l, &folder, 1, &e), 0);
    assert_int_equal(db_narrow(&l, filters, 1, &e), 0);
    assert_int_equal(count(&l, "timings", "op = 'softmax' AND cc <> 'lib'"), 4); /* bf16's, too */
    assert_int_equal(count(&l, "timings", "op = 'softmax' AND algorithm = 'peer-onednn'"), 2);
    assert_int_equal(count(&l, "timings", "op = 'log_softmax' AND algorithm = 'invariant'"), 1);
    assert_int_equal(count(&l, "timings", "op = 'log_softmax' AND algorithm = 'peer-onednn'"), 1);
    assert_int_equal(count(&l, "timings", "1"), 8);
    assert_int_equal(count(&l, "cell_details", "1"), 8);
    assert_int_equal(count(&l, "measured_errors", "op = 'softmax'"), 2);
    assert_int_equal(count(&l, "measured_errors", "op = 'log_softmax'"), 2);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_filter_leaves_what_matches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
