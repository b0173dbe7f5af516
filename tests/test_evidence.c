// SPDX-License-Identifier: MIT
/* The sections as Markdown and in the page, from records that are known: who agrees, what bits
 * depend on, bounds, finds of the search, the certificate, and what equal bits cost. */
#include <math.h>
#include <stdbool.h>

#include "base/error.h" /* before cmocka.h, which has a macro fail() */
#include "publish/render/doc.h"
#include "publish/site/html.h"
#include "publish/sections/report.h"

#include "page.h"
#include "synthetic.h"

#define HOME "/tmp/ulplab-evidence"
#define ID(kernel, cc, policy) kernel "/dtype=f32/isa=avx2/cc=" cc "/policy=" policy

struct pages {
    char *md, *html;
};

static struct pages pages_of(void)
{
    return (struct pages){page_sections(HOME), page_written(html_write, HOME)};
}

static bool is_cell(const json_t *folds, const json_t *place, const char *want)
{
    const json_t *cell =
        json_array_get(json_object_get(folds, "cells"), (size_t)json_integer_value(place));
    char text[256];
    if (json_is_array(cell))
        snprintf(text, sizeof text, "%s:%s", json_string_value(json_array_get(cell, 0)),
                 json_string_value(json_array_get(cell, 1)));
    else
        snprintf(text, sizeof text, "%s", json_string_value(cell));
    return !strcmp(text, want);
}

static void assert_both(const struct pages *p, const char *needle)
{
    if (!strstr(p->md, needle)) fail_msg("the sections have no '%s'", needle);
    if (!strstr(p->html, needle)) fail_msg("report.html has no '%s'", needle);
}

/* Is there a row of a fold's table that begins with these cells ("shade:text" where shaded)? */
static void assert_folded(const char *html, const char *const *cells, size_t count)
{
    static const char mark[] = "id=\"data\">";
    const char *at = strstr(html, mark);
    assert_non_null(at);
    json_t *data = json_loads(at + sizeof mark - 1, JSON_DISABLE_EOF_CHECK, NULL), *table, *row;
    const json_t *folds = json_object_get(data, "folds");
    bool found = false;
    size_t i, k;
    json_array_foreach(json_object_get(folds, "tables"), i, table)
    {
        json_array_foreach(json_object_get(table, "rows"), k, row)
        {
            size_t same = 0;
            while (same < count && is_cell(folds, json_array_get(row, same), cells[same])) same++;
            found = found || same == count;
        }
    }
    json_decref(data);
    if (!found) fail_msg("no fold has a row '%s', '%s' ..", cells[0], cells[1]);
}

static void free_pages(struct pages *p)
{
    free(p->md);
    free(p->html);
}

static int empty_home(void **state)
{
    (void)state;
    make_folder(HOME, (struct run_facts){0});
    add_accuracy(HOME, ID("softmax/own", "gcc-12", "off"), (struct accuracy_facts){.max_ulp = 1});
    return 0;
}

static void nothing_is_said_without_records(void **state)
{
    (void)state;
    struct pages p = pages_of();
    static const char *const titles[] = {"What bits depend on",        "What equal bits cost",
                                         "Measured over proven bound", "Worst inputs found",
                                         "Every fp32 input",           "The oracle's own error"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        assert_null(strstr(p.md, titles[i]));
        assert_null(strstr(p.html, titles[i]));
    }
    free_pages(&p);
}

static void classes_stand_in_a_matrix_with_their_sentence(void **state)
{
    (void)state;
    append(HOME, "diverge.jsonl",
           "{\"record\": \"meaning\", \"op\": \"softmax\", \"dtype\": \"f32\", \"variants\": 3, "
           "\"classes\": 2, \"sentence\": \"3 variants give 2 bit patterns <b>\"}");
    static const char *const labels[] = {"own avx2 gcc-12 off", "own avx2 gcc-12 {on,fast}"};
    static const char *const firsts[] = {ID("softmax/own", "gcc-12", "off"),
                                         ID("softmax/own", "gcc-12", "on")};
    static const char *const others[] = {"", ", \"" ID("softmax/own", "gcc-12", "fast") "\""};
    for (int k = 0; k < 2; k++)
        append(
            HOME, "diverge.jsonl",
            "{\"record\": \"class\", \"op\": \"softmax\", \"dtype\": \"f32\", \"class\": %d, "
            "\"size\": %d, \"label\": \"%s\", \"representative\": \"%s\", \"members\": [\"%s\"%s]}",
            k, k + 1, labels[k], firsts[k], firsts[k], others[k]);
    append(HOME, "diverge.jsonl",
           "{\"record\": \"diverge\", \"op\": \"softmax\", \"a\": \"%s\", \"b\": \"%s\", "
           "\"class_a\": 0, \"class_b\": 1, \"mismatched\": 0.251, \"max_ulp_distance\": 17}",
           ID("softmax/own", "gcc-12", "off"), ID("softmax/own", "gcc-12", "on"));
    struct pages p = pages_of();
    assert_both(&p, "What bits depend on");
    assert_non_null(strstr(p.md, "3 variants give 2 bit patterns \\<b>"));
    assert_non_null(strstr(p.html, "3 variants give 2 bit patterns &lt;b&gt;"));
    /* The larger class is the first. */
    assert_non_null(strstr(p.md, "| 1 | 2 | own avx2 gcc-12 {on,fast} | = |   |\n| 2 | 1 | "));
    assert_non_null(strstr(p.md, " | 26% 17 | = |\n"));
    assert_non_null(strstr(p.html, "<td class=\"d3\">26% 17</td>"));
    free_pages(&p);
}

static void invariance_is_told_by_kernel_and_by_variant(void **state)
{
    (void)state;
    static const char *const ccs[] = {"gcc-12", "clang-14"};
    for (size_t i = 0; i < 2; i++) {
        append(HOME, "diverge.jsonl",
               "{\"record\": \"invariance\", \"id\": \"softmax/steady/dtype=f32/isa=avx2/cc=%s/"
               "policy=off\", \"status\": \"ok\", \"run\": true, \"threads\": true, "
               "\"row_position\": true, \"batch\": true, \"tail\": null, \"isa\": null, \"cc\": "
               "true, \"policy\": null}",
               ccs[i]);
        append(HOME, "diverge.jsonl",
               "{\"record\": \"invariance\", \"id\": \"softmax/shaky/dtype=f32/isa=avx2/cc=%s/"
               "policy=off\", \"status\": \"ok\", \"run\": true, \"threads\": true, "
               "\"row_position\": %s, \"batch\": true, \"tail\": false, \"isa\": null, \"cc\": "
               "false, \"policy\": null}",
               ccs[i], i ? "true" : "false");
    }
    struct pages p = pages_of();
    assert_both(&p, "The bits of 1 of 2 kernels depend on nothing that was asked: softmax steady.");
    assert_non_null(strstr(
        p.md, "| softmax | shaky | 2 | all | all | 1 of 2 | all | 0 of 2 | - | 0 of 2 | - |"));
    assert_non_null(strstr(p.html, "<summary>Every variant</summary>"));
    static const char *const cells[] = {
        "softmax shaky f32", "avx2", "gcc-12", "off", "same", "same", "no"};
    assert_folded(p.html, cells, sizeof cells / sizeof *cells);
    free_pages(&p);
}

static void add_bound(const char *id, const char *family, int n, double proven, double likely,
                      const char *status)
{
    append(HOME, "accuracy.jsonl",
           "{\"record\": \"accuracy\", \"id\": \"%s\", \"family\": \"%s\", \"n\": %d, \"status\": "
           "\"%s\", \"max_ulp\": 1, \"bits\": \"0\", \"bound_ratio\": %g, "
           "\"bound_ratio_probabilistic\": %g}",
           id, family, n, status, proven, likely);
}

static void bounds_have_both_forms_for_every_cell(void **state)
{
    (void)state;
    add_bound(ID("softmax/own", "gcc-12", "on"), "normal", 64, 0.25, 0.5, "ok");
    add_bound(ID("softmax/own", "gcc-12", "on"), "logits", 7, 0.125, 1.5, "ok");
    add_bound(ID("softmax/own", "gcc-12", "fast"), "normal", 64, 0.25, 0.5, "ok");
    add_bound(ID("softmax/own", "gcc-12", "fast"), "logits", 7, 0.125, 1.5, "ok");
    add_bound(ID("softmax/own", "clang-14", "fast"), "normal", 64, 3, 4, "wrong");
    add_bound(ID("softmax/own", "clang-14", "fastmath"), "normal", 64, 2, 4, "ok");
    struct pages p = pages_of();
    assert_both(&p, "Of 6 rows 2 are above the proven bound, 1 of these under a promise");
    assert_both(&p, "and 4 above the probabilistic form");
    assert_non_null(strstr(p.md, "| softmax | own | 4 | 3 / 4 |"));
    /* Equal figures share a line; others have their own. */
    static const char *const equal[] = {"avx2: gcc-12 on, gcc-12 fast", "0.25 / 0.5",
                                        "d2:0.12 / 1.5"};
    static const char *const own[] = {"avx2: clang-14 fast", "d3:3 / 4", "\xe2\x80\x93"};
    assert_folded(p.html, equal, 3);
    assert_folded(p.html, own, 3);
    free_pages(&p);
}

static void bounds_say_which_scan_proves_their_eps(void **state)
{
    (void)state;
    static const char *const rows[][3] = {{"own", "0.9", "0.8"}, {"other", "0.7", "null"}};
    for (size_t i = 0; i < 2; i++)
        append(HOME, "accuracy.jsonl",
               "{\"record\": \"accuracy\", \"id\": \"logsumexp/%s/dtype=f32/isa=avx2/cc=gcc-12/"
               "policy=off\", \"family\": \"normal\", \"n\": 64, \"status\": \"ok\", "
               "\"max_ulp\": 1, \"bits\": \"0\", \"bound_ratio\": 0.5, "
               "\"bound_ratio_probabilistic\": 0.6, \"exp_ulp\": %s, \"log_ulp\": %s}",
               rows[i][0], rows[i][1], rows[i][2]);
    static const char *const scans[][5] = {{"exp", "off", "0.9", "0.85", "ok"},
                                           {"exp", "on", "0.9", "0.875", "ok"},
                                           {"exp", "fast", "0.9", "7", "wrong"},
                                           {"log", "off", "0.9", "0.89", "ok"},
                                           {"exp", "off", "0.6", "0.55", "ok"}};
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        append(HOME, "scan.jsonl",
               "{\"record\": \"scan\", \"id\": \"%s/own/dtype=f32/isa=avx2/cc=gcc-12/policy=%s\", "
               "\"range\": \"all\", \"declared_ulp\": %s, \"max_ulp\": %s, \"status\": \"%s\"}",
               scans[i][0], scans[i][1], scans[i][2], scans[i][3], scans[i][4]);
    struct pages p = pages_of();
    assert_non_null(strstr(p.md, "| exp | 0.9 | 1 | at most 0.875000 in 2 builds |"));
    assert_non_null(strstr(p.md, "| log | 0.8 | 1 | none here: its file's word |"));
    assert_non_null(strstr(p.md, "| exp | 0.7 | 1 | none here: its file's word |"));
    assert_non_null(strstr(p.html, "<td>at most 0.875000 in 2 builds</td>"));
    free_pages(&p);
}

static void searches_show_their_curve_beside_chance(void **state)
{
    (void)state;
    append(HOME, "search.jsonl",
           "{\"record\": \"search\", \"id\": \"%s\", \"n\": 64, \"box\": [-8.0, 8.0], \"status\": "
           "\"ok\", \"objective\": \"bound\", \"score\": 0.7, \"max_ulp\": 12, \"input\": "
           "\"softmax-00.npy\", \"evaluations\": 100000, \"seconds\": 2, \"history\": [[1000, "
           "0.3], [10000, 0.5], [100000, 0.7]], \"random\": {\"score\": 0.5, \"evaluations\": "
           "100000, \"seconds\": 2, \"history\": [[1000, 0.25], [50000, 0.5]]}, \"gain\": 1.4, "
           "\"limit\": \"level from 10%% of the budget on\"}",
           ID("softmax/own", "gcc-12", "off"));
    struct pages p = pages_of();
    assert_non_null(strstr(p.md, "| softmax own | avx2 gcc-12 off | 64 | [-8, 8] | bound | 0.3 | "
                                 "0.5 | 0.7 | 0.25 | 0.25 | 0.5 | 1.4 | level from 10% of the "
                                 "budget on | 12 | 100000 |"));
    assert_both(&p, "softmax-00.npy");
    const char *figure = strstr(p.html, "<figure class=\"curve\">");
    assert_non_null(figure);
    const char *first = strstr(figure, "<polyline");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "<polyline"));
    free_pages(&p);
}

static void the_certificate_says_what_it_refuses(void **state)
{
    (void)state;
    append(HOME, "certificate.jsonl",
           "{\"record\": \"certificate\", \"op\": \"softmax\", \"family\": \"normal\", \"bits\": "
           "400, \"rows\": 10, \"values\": 640, \"beyond\": 0, \"max_ulp\": 4.5e-9, \"at\": \"n = "
           "64\", \"certified\": true}");
    struct pages p = pages_of();
    assert_both(&p, "MPFR with 400 bits");
    assert_both(&p, "its worst error is 4.50e-09 fp32 ulp");
    assert_both(&p, "Every line is certified.");
    free_pages(&p);
    append(HOME, "certificate.jsonl",
           "{\"record\": \"certificate\", \"op\": \"log\", \"family\": \"wide\", \"bits\": 400, "
           "\"rows\": 3, \"values\": 3, \"beyond\": 2, \"max_ulp\": 0.5, \"at\": \"n = 1\", "
           "\"certified\": false}");
    p = pages_of();
    assert_both(&p, "NOT every line is certified");
    assert_non_null(strstr(p.md, "| log | wide | 3 | 3 | 5.00e-01 | n = 1 | 2 | NO |"));
    free_pages(&p);
}

static void equal_bits_cost_what_the_times_say(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *policy;
        size_t n;
        double ns;
    } times[] = {{"softmax/own", "off", 64, 64},           {"softmax/own", "fastmath", 64, 16},
                 {"softmax/invariant", "off", 64, 128},    {"softmax/own", "off", 1000, 1000},
                 {"softmax/invariant", "off", 1000, 1050}, {"softmax/own", "off", 4096, 4096},
                 {"softmax/invariant", "off", 4096, 4000}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char id[128];
        snprintf(id, sizeof id, "%s/dtype=f32/isa=avx2/cc=gcc-12/policy=%s", times[i].kernel,
                 times[i].policy);
        add_timing(HOME, id,
                   (struct timing_facts){
                       .rows = 8, .n = times[i].n, .processes = 3, .ns_per_row = times[i].ns});
    }
    struct pages p = pages_of();
    assert_both(&p, "of 3 such pairs it is ahead on 1, within 10% on 1 more, and costs more than "
                    "that on 1.");
    assert_both(&p, "Dearest is softmax on avx2 at 8x64: 2.00 times own.");
    assert_non_null(strstr(p.md, "| softmax | avx2 | 8x64 | 1 | L1 | 2.000"));
    assert_null(strstr(p.md, "| softmax | avx2 | 8x1000 | 1 | L1 | 1.050 ["));
    free_pages(&p);
}

static void scans_are_told_by_code_and_by_binade(void **state)
{
    (void)state;
    static const char *const figures =
        "\"evaluated\": 4294967296, \"max_ulp\": 0.987172, \"at\": \"0x1.8p+0\", "
        "\"misrounded\": 0.001, \"mean_ulp\": 0.25, \"bias_ulp\": 1e-5, \"counts\": {\"nan\": 0, "
        "\"inf\": 0, \"sign\": 0, \"flushed\": 3}, \"status\": \"ok\"";
    static const char *const binades =
        "\"binades\": {\"from\": [\"-0x1p+0\", \"0x0p+0\", \"0x1p+0\"], \"max_ulp\": [0.5, 0.5, "
        "0.987], \"at\": [\"-0x1.1p+0\", \"0x0p+0\", \"0x1.8p+0\"], \"mean_ulp\": [0.1, 0.1, 0.2], "
        "\"misrounded\": [0, 0, 0.01]}";
    append(HOME, "scan.jsonl", "{\"record\": \"scan\", \"id\": \"%s\", \"range\": \"all\", %s, %s}",
           ID("log2/own", "gcc-12", "off"), figures, binades);
    append(
        HOME, "scan.jsonl",
        "{\"record\": \"scan\", \"id\": \"%s\", \"range\": \"all\", \"same_code_as\": \"x\", %s}",
        ID("log2/own", "gcc-12", "on"), figures);
    append(HOME, "scan.jsonl",
           "{\"record\": \"scan\", \"id\": \"%s\", \"range\": [\"0x0p+0\", \"0x1p+0\"], %s, %s}",
           ID("log2/part", "gcc-12", "off"), figures, binades);
    struct pages p = pages_of();
    assert_both(&p, "Every fp32 input");
    assert_non_null(strstr(p.md,
                           "| log2 | own | avx2 gcc-12 off | 0.987172 | 0 | 0x1.8p+0 | 0.25 | "
                           "1e-05 | 0.1000 | 0 / 0 / 0 / 3 | ok |"));
    assert_null(strstr(p.md, "avx2 gcc-12 on"));
    assert_null(strstr(p.md, "| part |"));
    /* Two binades that agree share a line; the third has its own. */
    assert_folded(p.html, (const char *const[]){"-0x1p+0", "0x0p+0", "0.5"}, 3);
    assert_folded(p.html, (const char *const[]){"0x1p+0", "0x1p+0", "0.987"}, 3);
    assert_non_null(strstr(p.html, "largest error by binade"));
    free_pages(&p);
}

int main(void)
{
    setenv("ULPLAB_CHART_JS", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_said_without_records, empty_home),
        cmocka_unit_test_setup(classes_stand_in_a_matrix_with_their_sentence, empty_home),
        cmocka_unit_test_setup(invariance_is_told_by_kernel_and_by_variant, empty_home),
        cmocka_unit_test_setup(bounds_have_both_forms_for_every_cell, empty_home),
        cmocka_unit_test_setup(bounds_say_which_scan_proves_their_eps, empty_home),
        cmocka_unit_test_setup(searches_show_their_curve_beside_chance, empty_home),
        cmocka_unit_test_setup(the_certificate_says_what_it_refuses, empty_home),
        cmocka_unit_test_setup(equal_bits_cost_what_the_times_say, empty_home),
        cmocka_unit_test_setup(scans_are_told_by_code_and_by_binade, empty_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
