// SPDX-License-Identifier: MIT
/* A filter on a folder's records: those that remain keep their order, first the lab's, then the
 * peers'. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h" /* before cmocka.h: its macro fail() hides the lab's function */
#include "publish/analyse/narrow.h"

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

static void a_filter_leaves_each_its_place(void **state)
{
    (void)state;
    static const char *const filters[] = {"algorithm=invariant,peer-onednn isa=avx512"};
    static const char log[] = ", \"log\": true";
    static const char *const variants[] = {OWN("threepass", "off"), OWN("invariant", "off"),
                                           PEER("onednn", "avx512"), PEER("xnnpack", "auto")};
    struct results r;
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
    assert_int_equal(results_read(HOME, &r, &e), 0);
    assert_int_equal(results_narrow(&r, filters, 1, &e), 0);
    assert_int_equal(r.timing_count, 4 + 1); /* one of bf16, one of log_softmax */
    assert_int_equal(r.peer_timing_count, 2 + 1);
    assert_string_equal(r.timings[4].axes.op, "log_softmax");
    assert_string_equal(r.timings[4].axes.algorithm, "invariant");
    assert_string_equal(r.timings[7].axes.op, "log_softmax");
    assert_string_equal(r.timings[7].axes.algorithm, "peer-onednn");
    assert_int_equal(r.accuracy_count, 1 + 1);
    assert_int_equal(r.peer_accuracy_count, 1 + 1);
    results_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_filter_leaves_each_its_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
