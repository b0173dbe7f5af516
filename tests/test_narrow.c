// SPDX-License-Identifier: MIT
/* A filter on a folder's records: which of them remain, and which figures stay the same. */
// test: 5 s of a core
#include "base/error.h"
#include "publish/db/db.h"
#include "publish/sql/facts.h"

#include "drive.h"
#include "facts.h"
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

TEST(a_filter_leaves_what_matches)
{
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

/* Returns the policies that `ulplab policy` tells of a committed run, whose builds under `off` and
 * `fast` have more kernels than those under other policies. */
static json_t *policies_of(const char *filter)
{
    json_t *document =
        drive_json(drive_program("ulplab"), 0, "policy results/amd-25-17-1-0af3eb3f --json %s%s",
                   filter ? "--filter " : "", filter ? filter : "");
    json_t *policies = json_object_get(document, "policies");
    assert_true(json_array_size(policies) > 0);
    json_incref(policies);
    return policies;
}

/* What a policy buys and costs over off is the same whatever other policies were built. */
TEST(a_pairs_figures_are_its_own)
{
    static const char *const fields[] = {"speed",
                                         "speed_interval",
                                         "cells",
                                         "same_code",
                                         "kernels_changed",
                                         "left_out",
                                         "speed_overall",
                                         "by_code",
                                         "kernels_unchanged",
                                         "speed_overall_cells",
                                         "error",
                                         "max_ulp",
                                         "mean_ulp",
                                         "lost",
                                         "wrong",
                                         "operations",
                                         "stable_kernels",
                                         "kernels"};
    static const char *const others[] = {"policy=off,fast", "policy=off,reassoc",
                                         "policy=off,on,default,fast"};
    json_t *all = policies_of(NULL);
    assert_int_equal(json_array_size(all), 12);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_t *few = policies_of(others[i]);
        size_t k;
        const json_t *p;
        json_array_foreach(few, k, p)
        {
            const char *cc = json_string_value(json_object_get(p, "cc"));
            const char *policy = json_string_value(json_object_get(p, "policy"));
            const json_t *same = fact_find(all, "cc=%s policy=%s", cc, policy);
            for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
                const json_t *a = json_object_get(same, fields[f]),
                             *b = json_object_get(p, fields[f]);
                assert_non_null(a);
                if (!json_equal(a, b))
                    fail_msg("%s %s, with %s: another %s", cc, policy, others[i], fields[f]);
            }
        }
    }
}
