// SPDX-License-Identifier: MIT
/* Distance from the limit, and what contraction gains, from results that are known. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h" /* before cmocka.h, which has a macro fail() */
#include "publish/site/html.h"
#include "publish/sections/report.h"

#include "page.h"
#include "synthetic.h"

#define HOME "/tmp/ulplab-reach"
#define ID(kernel, isa, policy) kernel "/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy

static void time_of(const char *variant, size_t n, double ns_per_element, struct timing_facts f)
{
    f.rows = 2;
    f.n = n;
    f.processes = 6;
    f.ns_per_row = ns_per_element * (double)n;
    f.spread = 0.02;
    add_timing(HOME, variant, f);
}

static void codegen_of(const char *variant, const char *arithmetic)
{
    append(HOME, "codegen.jsonl",
           "{\"record\": \"codegen\", \"id\": \"%s\", \"status\": \"ok\", \"arithmetic\": \"%s\"}",
           variant, arithmetic);
}

#define COUNTED                                                                                    \
    ", \"shapes\": \"default\", \"limit_count_per_element\": 0.5, \"instructions\": {\"lanes\": "  \
    "16, \"mul\": 9, \"add\": 3.5, \"max\": 2, \"other\": 0.0}"

static int set_up(void **state)
{
    (void)state;
    static const char *const variants[] = {
        ID("softmax/fused", "avx512", "off"), ID("softmax/fused", "avx512", "fast"),
        ID("softmax/proof", "avx512", "off"), ID("softmax/proof", "avx512", "fast"),
        ID("moments/fused", "avx2", "off")};
    make_folder(HOME, (struct run_facts){.seed = 1});
    for (size_t i = 0; i < 5; i++) {
        add_accuracy(HOME, variants[i], (struct accuracy_facts){.max_ulp = 2});
        codegen_of(variants[i], strstr(variants[i], "proof") ? "explicit" : "policy");
    }
    time_of(variants[0], 512, 0.4, (struct timing_facts){.percent = 40});
    time_of(variants[1], 512, 0.2, (struct timing_facts){.percent = 79});
    time_of(variants[2], 512, 0.16,
            (struct timing_facts){.percent = 88, .limit = "ports-mul-zmm", .more = COUNTED});
    time_of(variants[2], 2048, 0.18,
            (struct timing_facts){.percent = 71, .limit = "ports-any-zmm", .more = COUNTED});
    time_of(variants[2], 1 << 20, 0.3,
            (struct timing_facts){.percent = 93,
                                  .limit = "copy-zmm-8M",
                                  .residency = "DRAM",
                                  .more = ", \"shapes\": \"default\""});
    /* Another shape in memory. */
    time_of(variants[2], 1 << 21, 0.9,
            (struct timing_facts){.percent = 31, .limit = "copy-zmm-16M", .residency = "DRAM"});
    time_of(variants[4], 512, 0.1, (struct timing_facts){.percent = 20, .limit = "ports-add-ymm"});
    return 0;
}

static void the_report_says_how_near(void **state)
{
    (void)state;
    char *text = page_sections(HOME);
    static const char *const said[] = {
        "## How near to the limit",
        "| rows x n | in | moments avx2 | softmax avx512 |",
        "| 2x512 | L1 | 20 p | 88 p |",
        "| 2x2048 | L1 | - | 71 p |",
        "| 2x1048576 | DRAM | - | 93 m |",
        /* Which limit binds, and the counts behind it. */
        "| 88 | ports-mul-zmm | 0.5 instructions | 9 fma+mul, 3.5 add, 2 max / 16 |",
    };
    page_says(text, said, sizeof said / sizeof *said);
    assert_null(strstr(text, "wanted")); /* a report measures; what its authors aim at is theirs */
    free(text);
    text = page_written(html_write, HOME);
    static const char *const shown[] = {
        "<h2>How near to the limit</h2>",
        "<td class=\"heat h3\">88 p</td>",
        "<td class=\"heat h2\">71 p</td>",
        "<td class=\"heat h0\">20 p</td>",
        "<td>9 fma+mul, 3.5 add, 2 max / 16</td>",
        "\"limit\":[\"fma-avx2\",\"fma-avx2\",\"ports-mul-zmm\"",
    };
    page_says(text, shown, sizeof shown / sizeof *shown);
    free(text);
}

static void contraction_is_worth_what_the_pairs_say(void **state)
{
    (void)state;
    char *text = page_written(report_write, HOME);
    static const char *const said[] = {
        "## What contraction is worth",
        /* One pair, of the kernel that the policy decides; its gain; and the kernel that no policy
         * reaches, against both. */
        "| softmax | avx512 | 2.000 (2.00 to 2.00; 1) | 0.400 fused gcc-12 | 0.200 fused gcc-12 | "
        "2 "
        "| 0.160 proof gcc-12 | 2.5 | 1.25 |",
    };
    page_says(text, said, sizeof said / sizeof *said);
    assert_null(strstr(text, "| moments | avx2 | - |")); /* no pair, no explicit arithmetic */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_says_how_near),
        cmocka_unit_test(contraction_is_worth_what_the_pairs_say),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
