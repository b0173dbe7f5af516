// SPDX-License-Identifier: MIT
/* All cores against one, and how rows are shared, from results that are known. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h" /* before cmocka.h, which has a macro fail() */
#include "publish/site/html.h"
#include "publish/sections/report.h"

#include "page.h"
#include "synthetic.h"

#define HOME "/tmp/ulplab-cores"
#define ID(kernel, policy) kernel "/dtype=f32/isa=avx512/cc=gcc-12/policy=" policy

#define TEAM(how, low, middle, high)                                                               \
    ", \"team\": \"" how "\", \"efficiency\": " middle ", \"efficiency_low\": " low                \
    ", \"efficiency_high\": " high ", \"efficiency_of\": \"x\""
#define WAY(way, what, have, beyond, limit, where, unit, taken, why)                               \
    "{\"way\": \"" way "\", \"what\": \"" what "\", \"have\": " have ", \"beyond\": " beyond       \
    ", \"limit\": " limit ", \"where\": \"" where "\", \"unit\": \"" unit "\", \"taken\": " taken  \
    ", \"why\": \"" why "\"}"

static void time_of(const char *variant, size_t rows, size_t n, double ns, struct timing_facts f)
{
    f.rows = rows;
    f.n = n;
    f.processes = 6;
    f.ns_per_row = ns * (double)n;
    f.spread = 0.02;
    add_timing(HOME, variant, f);
}

static int set_up(void **state)
{
    (void)state;
    static const char *const variants[] = {ID("softmax/quick", "off"), ID("softmax/slow", "off"),
                                           ID("softmax/quick", "fastmath")};
    make_folder(HOME, (struct run_facts){.seed = 1});
    for (size_t i = 0; i < 3; i++)
        add_accuracy(HOME, variants[i], (struct accuracy_facts){.max_ulp = 2});
    const struct timing_facts quick = {.threads = 2,
                                       .more = TEAM("one row", "0.8", "0.85", "0.88")};
    time_of(variants[0], 1, 1 << 18, 0.1, quick);
    time_of(variants[1], 1, 1 << 18, 0.2,
            (struct timing_facts){.threads = 2, .more = TEAM("some idle", "0.4", "0.5", "0.6")});
    /* Faster, and promises nothing. */
    time_of(variants[2], 1, 1 << 18, 0.05,
            (struct timing_facts){.threads = 2, .more = TEAM("one row", "0.9", "0.95", "0.99")});
    time_of(variants[0], 64, 512, 0.1,
            (struct timing_facts){.threads = 2, .more = TEAM("rows", "0.97", "0.99", "1.01")});
    time_of(variants[0], 65536, 256, 0.4,
            (struct timing_facts){.threads = 2,
                                  .limit = "copy-zmm-128M-x2",
                                  .residency = "DRAM",
                                  .more = TEAM("rows", "0.5", "0.6", "0.7")});
    time_of(variants[0], 65536, 256, 0.8,
            (struct timing_facts){.residency = "DRAM",
                                  .more = ", \"ways\": [" WAY(
                                      "streamed", "x and y", "134217728", "true", "33554432",
                                      "the last level", "bytes", "true",
                                      "A") ", " WAY("together", "rows", "65536", "true", "3",
                                                    "too few", "rows", "true",
                                                    "B") ", " WAY("together", "a row", "256",
                                                                  "false", "64", "four lines",
                                                                  "elements", "false", "C") "]"});
    time_of(
        variants[0], 2, 2048, 0.3,
        (struct timing_facts){.more = ", \"ways\": [" WAY("together", "rows", "2", "true", "3",
                                                          "too few", "rows", "false", "B") "]"});
    return 0;
}

static void the_report_says_what_cores_are_worth(void **state)
{
    (void)state;
    char *text = page_sections(HOME);
    static const char *const said[] = {
        "## All cores",
        "Of 3 cells 1 are limited by bytes, which cores share; of the others 1 reach 0.9, "
        "and the intervals of 1 do.",
        "| softmax | avx512 | 1x262144 | L1 | quick gcc-12 off | 2 | one row | 0.1000 [0.0990, "
        "0.1010] | 0.85 [0.80, 0.88] | fma-avx2 |",
        "| 64x512 | L1 | quick gcc-12 off | 2 | rows | 0.1000 [0.0990, 0.1010] | 0.99 [0.97, 1.01] "
        "|",
        "| 0.60 [0.50, 0.70] | copy-zmm-128M-x2 |",
    };
    page_says(text, said, sizeof said / sizeof *said);
    assert_null(strstr(text, "some idle |")); /* a slower one */
    assert_null(strstr(text, "0.95 [0.90, 0.99]"));
    free(text);
}

static void the_report_says_which_way_and_why(void **state)
{
    (void)state;
    char *text = page_sections(HOME);
    static const char *const said[] = {
        "## Which way rows go",
        "| streamed | x and y beyond the last level (here 32 MiB) | A |",
        "| together | a row within four lines (here 64 elements) | C |",
        "| quick gcc-12 off | streamed | 0.8000 | streamed: 128 MiB of x and y, beyond 32 MiB (the "
        "last level); not together: 256 elements of a row, beyond 64 elements (four lines) |",
        "| 2x2048 | L1 | quick gcc-12 off | row by row | 0.3000 | not together: 2 rows, within 3 "
        "rows (too few) |",
    };
    page_says(text, said, sizeof said / sizeof *said);
    free(text);
    text = page_written(html_write, HOME);
    static const char *const shown[] = {"<h2>All cores</h2>", "<h2>Which way rows go</h2>",
                                        "<td>row by row</td>"};
    page_says(text, shown, sizeof shown / sizeof *shown);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_says_what_cores_are_worth),
        cmocka_unit_test(the_report_says_which_way_and_why),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
