// SPDX-License-Identifier: MIT
/* The tables "against the field" and "beside what the machine allows", from results whose ratios
 * are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/site/html.h"
#include "publish/analyse/narrow.h"
#include "publish/sections/report.h"

#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: its fail() is a macro */

#include "page.h"

static char folder[] = "/tmp/ulplab-field-XXXXXX";

#define OWN(algorithm, isa, policy)                                                                \
    "softmax/" algorithm "/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy
#define PEER(library, isa) "softmax/peer-" library "/dtype=f32/isa=" isa "/cc=lib/policy=lib"

static void time_of(const char *variant, size_t n, double ns_per_row, const char *status)
{
    add_timing(folder, variant,
               (struct timing_facts){.rows = 2,
                                     .n = n,
                                     .processes = 6,
                                     .ns_per_row = ns_per_row,
                                     .spread = 0.1,
                                     .status = status});
}

static void error_of(const char *variant, double ulp, int hazard)
{
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = ulp, .mean_ulp = 0.5, .hazard = hazard});
}

/* log_softmax's time and error of a softmax's variant, as earlier versions wrote them. */
static void log_of(const char *variant, double ns_per_row, double u, const char *status)
{
    add_timing(folder, variant,
               (struct timing_facts){.rows = 2,
                                     .n = 64,
                                     .processes = 6,
                                     .ns_per_row = ns_per_row,
                                     .spread = 0.1,
                                     .more = ", \"log\": true"});
    append(folder, "log_softmax.jsonl",
           "{\"record\": \"accuracy\", \"id\": \"%s\", \"log\": true, \"family\": \"normal\","
           " \"n\": 64, \"status\": \"%s\", \"near_zero\": false, \"max_ulp\": 1e9,"
           " \"scaled_error\": %g}",
           variant, status, u);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    make_folder(folder, (struct run_facts){.seed = 1});
    error_of(OWN("threepass", "avx512", "off"), 6, 0);
    error_of(OWN("invariant", "avx512", "off"), 2, 0);
    error_of(OWN("invariant", "avx2", "off"), 2, 0);
    error_of(OWN("naive", "avx512", "off"), 2, 1);
    error_of(PEER("onednn", "avx512"), 65, 0);
    error_of(PEER("xnnpack", "auto"), 61, 0);
    time_of(OWN("threepass", "avx512", "off"), 64, 120, "ok");
    time_of(OWN("invariant", "avx512", "off"), 64, 100, "ok");
    time_of(OWN("invariant", "avx512", "fastmath"), 64, 50, "ok"); /* promises nothing */
    time_of(OWN("naive", "avx512", "off"), 64, 60, "ok");          /* a hazard */
    time_of(OWN("plain", "avx512", "off"), 64, 900, "ok"); /* what people have without the lab */
    time_of(OWN("plain", "avx512", "fastmath"), 64, 150, "ok");
    time_of("softmax/invariant/dtype=bf16/isa=avx512/cc=gcc-12/policy=off", 64, 40, "ok");
    time_of(OWN("invariant", "avx512", "off"), 4096, 800, "ok");
    time_of(OWN("invariant", "avx2", "off"), 64, 200, "ok");
    time_of(PEER("onednn", "avx512"), 64, 400, "ok");
    time_of(PEER("xnnpack", "auto"), 64, 200, "ok");
    time_of(PEER("onednn", "avx512"), 4096, 400, "ok");
    time_of(PEER("pytorch", "avx2"), 64, 0, "skipped");
    log_of(OWN("threepass", "avx512", "off"), 10, 3, "wrong");
    log_of(OWN("invariant", "avx512", "off"), 150, 1.5, "ok");
    log_of(PEER("onednn", "avx512"), 600, 25, "ok");
    add_timing(folder, OWN("threepass", "avx2", "off"),
               (struct timing_facts){.rows = 2,
                                     .n = 64,
                                     .status = "sigsegv",
                                     .more = ", \"log\": true, \"reason\": \"it read past x\""});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* What is filtered keeps its place: the lab's, then peers'. */
static void a_filter_leaves_each_its_place(void **state)
{
    (void)state;
    static const char *const filters[] = {"algorithm=invariant,peer-onednn isa=avx512"};
    struct results r;
    struct error e;
    assert_int_equal(results_read(folder, &r, &e), 0);
    assert_int_equal(results_narrow(&r, filters, 1, &e), 0);
    assert_int_equal(r.timing_count, 4 + 1); /* one of them bf16's, one log_softmax's */
    assert_int_equal(r.peer_timing_count, 2 + 1);
    assert_string_equal(r.timings[4].axes.op, "log_softmax");
    assert_string_equal(r.timings[4].axes.algorithm, "invariant");
    assert_string_equal(r.timings[7].axes.op, "log_softmax");
    assert_string_equal(r.timings[7].axes.algorithm, "peer-onednn");
    assert_int_equal(r.accuracy_count, 1 + 1);
    assert_int_equal(r.peer_accuracy_count, 1 + 1);
    results_free(&r);
}

static void the_reports_show_it(void **state)
{
    (void)state;
    char path[512];
    struct error e;
    assert_int_equal(report_write(folder, folder, advice_bar, path, sizeof path, &e), 0);
    char *text = page_read(path);
    static const char *const said[] = {
        "## Against the field",
        "| softmax | avx512 | 2x64 | L1 | `invariant` gcc-12 `off` | 1.562 [1.484, 1.641] | 2 ulp "
        "| xnnpack | 3.125 [2.969, 3.281] | 61 ulp | 2.00 [1.81, 2.21] |",
        "| **0.50** [0.45, 0.55] |", /* wholly below 1 */
        "| softmax | avx512 | 2 | 1 / 0 / 1 | **1.00** | 1 | 1 / 0 / 0 | **1.50** |",
        "| 1.5 u | onednn | 9.375 [8.906, 9.844] | 25 u | 4.00 [3.62, 4.42] |",
        "- softmax/peer-pytorch, avx2: **skipped**",
        /* What fell, log_softmax's too, and why. */
        "| sigsegv | 1 | it read past x | `log_softmax/threepass/dtype=f32/isa=avx2/",
        "- Beside what the machine allows\n",
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (!strstr(text, said[i])) fail_msg("report.md does not say: %s", said[i]);
    /* Nowhere else: a library is no choice of flags. */
    assert_null(strstr(text, "| `lib` |"));
    assert_null(strstr(text, "`peer-"));
    free(text);

    assert_int_equal(html_write(folder, folder, advice_bar, path, sizeof path, &e), 0);
    text = page_read(path);
    assert_non_null(strstr(text, "<section id=\"field\">"));
    assert_non_null(strstr(text, "<td>xnnpack</td>"));
    assert_non_null(strstr(text, "<code>plain</code> gcc-12 <code>fastmath</code>"));
    assert_non_null(strstr(text, "<section id=\"limits\">"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_leaves_each_its_place),
        cmocka_unit_test(the_reports_show_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
