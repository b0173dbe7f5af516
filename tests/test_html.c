// SPDX-License-Identifier: MIT
/* report.html: texts from records appear as text, nothing is loaded, the tables are readable
 * without scripts, and the page works in a browser. */
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "publish/db/db.h"
#include "publish/render/dialect.h"
#include "publish/render/markup.h"
#include "publish/render/query.h"
#include "publish/site/html.h"

#include "page.h" /* last: its macro fail() hides the lab's function */

static char folder[] = "/tmp/ulplab-html-XXXXXX";
static const char chart_missing[] = "/nonexistent/chart.js";
/* A stub that is accepted as Chart.js, with texts that would end a script element. */
static const char chart_stub[] =
    "/* Chart.js v4.4.1 */ const a = '</script>', b = '</SCRIPT ', c = '<!--';\n";

static const char *under(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(under(name), "wb");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0 && fclose(f) == 0, 1);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    put("chart.js", chart_stub);
    return setenv("ULPLAB_CHART_JS", under("chart.js"), 1);
}

static int tear_down(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* The results of one record file each (NULL: no file), and the page made from them. */
struct sample {
    const char *machine, *accuracy, *timing, *codegen, *cases;
};

static char *page_of(const struct sample *s)
{
    const struct {
        const char *name, *text;
    } files[] = {{"machine.json", s->machine ? s->machine : "{\"machine\":{}}"},
                 {"accuracy.jsonl", s->accuracy},
                 {"timing.jsonl", s->timing},
                 {"codegen.jsonl", s->codegen},
                 {"cases.jsonl", s->cases}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].text)
            put(files[i].name, files[i].text);
        else
            unlink(under(files[i].name));
    return page_written(html_write, folder);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text += strlen(what)) count++;
    return count;
}

/* ---- Markup ---------------------------------------------------------------------------------- */

static char *written;
static size_t written_size;

static FILE *writing(void)
{
    return open_memstream(&written, &written_size);
}

static void assert_written(FILE *f, const char *expected)
{
    fclose(f);
    assert_string_equal(written, expected);
    free(written);
}

static void test_text_is_escaped_and_markup_is_not(void **state)
{
    (void)state;
    FILE *f = writing();
    markup(f, "<b title=\"%s\">%s</b>", "\"'", "a<b> & \x01\n");
    assert_written(f, "<b title=\"&quot;&#39;\">a&lt;b&gt; &amp;   </b>");
}

/* Texts from a record are plain text in Markdown and in HTML; texts of the program may be code,
 * bold or small. */
static void test_a_cell_is_written_once_for_both(void **state)
{
    static const char format[] = "`%s` **%.2f** ~%s~ %g%% %g";
    const struct dialect_value values[] = {
        {"a`b|c", 0}, {"", 0.5}, {"x_y_z *<", 0}, {"", (double)INFINITY}, {"", (double)NAN}};
    (void)state;
    FILE *f = writing();
    dialect_put(f, true, format, values);
    assert_written(f,
                   "<code>a`b|c</code> <b>0.50</b> <small>x_y_z *&lt;</small> inf% \xe2\x80\x93");
    f = writing();
    dialect_put(f, false, format, values);
    assert_written(f, "`a'b\\|c` **0.50** x_y_z \\*\\< inf% -");
}

static void test_markdown_counts_what_is_too_long(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e;
    assert_int_equal(db_read(&l, NULL, 0, &e), 0);
    const struct doc d = {.out = writing(), .most_bytes = 40};
    query_write(&d, &l, "SELECT key AS a, 'x' AS b FROM json_each('[0,1,2,3,4,5,6,7,8,9]')");
    assert_written(d.out, "| a | b |\n|---|---|\n| 0 | x |\n| 1 | x |\n| 2 | x |\n"
                          "\n7 more rows: report.html has them all.\n\n");
    lab_close(&l);
}

static void test_json_ends_no_script(void **state)
{
    (void)state;
    json_t *value = json_pack("{s:s}", "</script>", "<!--&\xe2\x80\xa8\xe2\x80\xa9");
    FILE *f = writing();
    markup_json(f, value);
    fclose(f);
    assert_string_equal(written, "{\"\\u003c/script\\u003e\":\"\\u003c!--\\u0026\\u2028\\u2029\"}");
    json_t *back = json_loads(written, 0, NULL);
    assert_true(json_equal(back, value));
    json_decref(back);
    json_decref(value);
    free(written);
}

static void test_a_script_ends_no_script(void **state)
{
    (void)state;
    FILE *f = writing();
    markup_script(f, chart_stub, sizeof chart_stub - 1);
    assert_written(
        f, "/* Chart.js v4.4.1 */ const a = '<\\/script>', b = '<\\/SCRIPT ', c = '<\\!--';\n");
}

/* ---- The page -------------------------------------------------------------------------------- */

#define ID(isa, policy) "softmax/own/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy
#define ACCURACY(isa, policy, ulp, bits)                                                           \
    "{\"record\":\"accuracy\",\"id\":\"" ID(isa, policy) "\",\"family\":\"normal\",\"n\":64,"      \
                                                         "\"status\":\"ok\",\"max_ulp\":" ulp      \
                                                         ",\"mean_ulp\":0.2,\"bits\":\"" bits      \
                                                         "\"}\n"
#define TIMING(isa, policy, ns)                                                                    \
    "{\"record\":\"timing\",\"id\":\"" ID(isa,                                                     \
                                          policy) "/rows=4/n=1/threads=1\",\"family\":"            \
                                                  "\"normal\",\"rows\":4,\"n\":1,\"threads\":1,"   \
                                                  "\"residency\":\"L1\",\"status\":\"ok\","        \
                                                  "\"ns_per_row\":" ns ",\"ci_low\":" ns           \
                                                  ",\"ci_high\":" ns ",\"percent_of_limit\":50}\n"

static const struct sample plain = {
    .accuracy = ACCURACY("avx2", "off", "1.25", "aa") ACCURACY("avx2", "fast", "1.5", "bb")
        ACCURACY("avx512", "off", "1.25", "aa") ACCURACY("avx512", "fast", "2.5", "cc"),
    .timing = TIMING("avx2", "off", "0.75") TIMING("avx2", "fast", "0.5")
        TIMING("avx512", "off", "0.375") TIMING("avx512", "fast", "0.25"),
};

static void test_the_answer_needs_no_script(void **state)
{
    (void)state;
    char *page = page_of(&plain), *tables = strstr(page, "<main"), *end = strstr(page, "</main>");
    assert_non_null(tables);
    assert_non_null(end);
    assert_non_null(strstr(end, "\"front\":[0,0,1,1]")); /* the fastest, the most accurate */
    *end = '\0';
    assert_null(strstr(tables, "<script"));
    assert_non_null(
        strstr(tables, "<td>0.250 <small>[0.250, 0.250]</small></td>")); /* the fastest */
    assert_non_null(strstr(tables, "<td>0.375 <small>[0.375, 0.375]</small></td>"));
    assert_non_null(strstr(tables, "<b>1.500</b>")); /* over off */
    assert_non_null(strstr(tables, "<noscript>"));
    assert_non_null(strstr(tables, "id=\"variant-table\""));
    free(page);
}

/* A variant that never ran has no figure in any column, and the page has none of its times. */
static void test_what_never_ran_has_no_number(void **state)
{
    static const char *const figures[] = {"time",   "error", "mean", "worst",    "family",
                                          "scaled", "bound", "lost", "specials", "fma"};
    (void)state;
    char *page = page_of(&(struct sample){
        .accuracy = "{\"record\":\"accuracy\",\"id\":\"" ID(
            "avx512",
            "off") "\",\"family\":\"normal\","
                   "\"n\":64,\"status\":\"skipped\",\"reason\":\"no AVX-512\",\"max_ulp\":null,"
                   "\"mean_ulp\":null,\"scaled_error\":null}\n",
        .timing = "{\"record\":\"timing\",\"id\":\"" ID(
            "avx512",
            "off") "/rows=4/n=1/threads=1\","
                   "\"family\":\"normal\",\"rows\":4,\"n\":1,\"threads\":1,\"residency\":\"L1\","
                   "\"status\":\"skipped\",\"ns_per_row\":null}\n",
        .codegen =
            "{\"record\":\"codegen\",\"id\":\"" ID("avx512", "off") "\",\"status\":\"skipped\","
                                                                    "\"fma\":null}\n"});
    json_t *data = page_data_of(page), *variants = json_object_get(data, "variants");
    assert_int_equal(json_array_size(json_object_get(variants, "op")), 1);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!json_is_null(json_array_get(json_object_get(variants, figures[i]), 0)))
            fail_msg("%s has a number", figures[i]);
    assert_int_equal(json_array_size(json_object_get(json_object_get(data, "times"), "variant")),
                     0);
    json_decref(data);
    free(page);
}

/* Attributes and styles that make a browser load something. */
static void test_the_page_loads_nothing(void **state)
{
    (void)state;
    static const char *const loads[] = {" src=",
                                        "<link",
                                        "<iframe",
                                        "<object",
                                        "<embed",
                                        "<base",
                                        "@import",
                                        "url(",
                                        "href=\"http",
                                        "href=\"//",
                                        "action=",
                                        "srcset=",
                                        "http-equiv=\"refresh"};
    char *page = page_of(&plain);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (strstr(page, loads[i])) fail_msg("%s in the page", loads[i]);
    assert_non_null(
        strstr(page, "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"));
    assert_int_equal(occurrences(page, "<script"), occurrences(page, "</script>"));
    assert_non_null(strstr(page, "const a = '<\\/script>'"));
    assert_null(strstr(page, "id=\"no-charts\""));
    assert_non_null(strstr(page, "<meta name=\"chart-library\" content=\"Chart.js 4.4.1\">"));
    free(page);
}

static void test_without_the_chart_library(void **state)
{
    (void)state;
    setenv("ULPLAB_CHART_JS", chart_missing, 1);
    char *page = page_of(&plain);
    assert_non_null(strstr(page, "id=\"no-charts\">There are no charts in this report"));
    assert_non_null(strstr(page, "libjs-chart.js"));
    assert_non_null(strstr(page, "id=\"variant-table\""));
    free(page);
    put("other.js", "/* something else of that name */");
    setenv("ULPLAB_CHART_JS", under("other.js"), 1);
    page = page_of(&plain);
    assert_non_null(strstr(page, "id=\"no-charts\""));
    free(page);
    setenv("ULPLAB_CHART_JS", under("chart.js"), 1);
}

#define EVIL "</script><img src=x onerror=alert(1)>\\\"'\\u2028<!--"

static void test_hostile_records_stay_text(void **state)
{
    (void)state;
    const struct sample hostile = {
        .machine =
            "{\"machine\":{\"brand\":\"" EVIL "\",\"slug\":\"" EVIL "\",\"label\":\"" EVIL
            "\",\"compilers\":{\"" EVIL "\":\"" EVIL "\"},\"" EVIL "\":[1,\"" EVIL "\"]},"
            "\"tool\":{\"version\":\"" EVIL "\",\"commit\":4},\"findings\":[{\"check\":\"" EVIL
            "\",\"severity\":\"" EVIL "\",\"value\":\"" EVIL "\",\"remedy\":\"" EVIL "\"},7]}",
        .accuracy = "{\"record\":\"accuracy\",\"id\":\"<b>/<img "
                    "src=x>/dtype=\\\"/isa='/cc=<i>/policy=<script>\","
                    "\"family\":\"" EVIL "\",\"n\":-1,\"status\":\"" EVIL "\",\"reason\":\"" EVIL
                    "\",\"max_ulp\":\"x\"}\n",
        .timing = TIMING("avx2", "off", "null") "{\"record\":\"limit\",\"name\":\"" EVIL
                                                "\",\"value\":null}\n",
        .codegen = "{\"record\":\"codegen\",\"id\":7}\n{\"record\":\"" EVIL "\"}\n",
        .cases = "{\"name\":\"" EVIL "\",\"verdict\":\"" EVIL "\",\"expected\":{\"" EVIL
                 "\":1},\"rows\":[{\"" EVIL "\":\"" EVIL "\"},3]}\n{\"rows\":\"none\"}\n",
    };
    static const char *const never[] = {"<img", "<i>", "<script>alert", "severity=\"<",
                                        "\xe2\x80\xa8</script"};
    char *page = page_of(&hostile);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("%s in the page", never[i]);
    assert_int_equal(occurrences(page, "<script"), 9); /* data, the chart library, our script */
    assert_int_equal(occurrences(page, "</script>"), 9);
    assert_true(occurrences(page, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;") >
                10);
    free(page);
}

static void test_an_empty_folder_says_what_to_run(void **state)
{
    (void)state;
    char *page = page_of(&(struct sample){0});
    assert_non_null(strstr(page, "No times are in these results: run <code>ulplab bench</code>"));
    assert_null(strstr(page, "nan"));
    free(page);
    struct report r;
    struct error e;
    unlink(under("machine.json"));
    assert_int_equal(report_open(folder, advice_bar, &r, &e), EXIT_BAD_INPUT);
    put("machine.json", "{\"machine\":{}}");
    put("cases.jsonl", "{\"a\":1,\"a\":2}\n");
    assert_int_equal(report_open(folder, advice_bar, &r, &e), EXIT_BAD_INPUT);
    assert_non_null(strstr(e.text, "cases.jsonl:1:"));
}

static void test_the_command(void **state)
{
    (void)state;
    free(page_of(&plain));
    unlink(under("report.html"));
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"report", folder, "--format", "html"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, 0);
    char expected[160];
    snprintf(expected, sizeof expected, "%s/report.html\n", folder);
    assert_string_equal(o.out, expected);
    assert_int_equal(access(under("report.html"), R_OK), 0);
    drive_free(&o);
    d.arguments[3] = "pdf";
    o = drive(&d);
    assert_int_equal(o.code, EXIT_USAGE);
    assert_non_null(strstr(o.err, "known: md, html"));
    drive_free(&o);
}

/* ---- A browser ------------------------------------------------------------------------------- */

/* Writes the report of synthetic results and lets scripts/test-html open it. */
static void look_at(const char *kind, const char *checks)
{
    char command[512];
    if (system("command -v python3 >/dev/null") != 0) {
        print_message("skipped: no python3 to make synthetic results with\n");
        skip();
    }
    snprintf(command, sizeof command, "tests/synthetic-results %s %s", under("many"), kind);
    assert_int_equal(system(command), 0);
    page_needs_charts();
    unsetenv("ULPLAB_CHART_JS");
    free(page_written(html_write, under("many")));
    setenv("ULPLAB_CHART_JS", under("chart.js"), 1);
    page_in_a_browser(under("many/report.html"), "tests/browser_check.js", checks);
}

static void test_in_a_browser(void **state)
{
    (void)state;
    look_at("small", "");
}

static void test_hostile_records_in_a_browser(void **state)
{
    (void)state;
    setenv("WIDTH", "500", 1); /* the narrowest window that the browser opens */
    look_at("small hostile", "text width charts filters theme");
}

/* The report of a committed run, laid out for paper. */
static void test_a_printed_report_is_short(void **state)
{
    (void)state;
    enum { PAGES = 30 };
    glob_t runs;
    char path[256], command[320];
    struct report r;
    struct error e;
    if (system("command -v chromium chromium-browser google-chrome >/dev/null") != 0) {
        print_message("skipped: no Chromium here (Debian's package: chromium)\n");
        skip();
    }
    assert_int_equal(glob("results/*/records.tar.zst", 0, NULL, &runs), 0);
    char *run = strdup(runs.gl_pathv[0]);
    globfree(&runs);
    *strrchr(run, '/') = '\0';
    unsetenv("ULPLAB_CHART_JS"); /* the real library, if it is installed */
    if (report_open(run, advice_bar, &r, &e)) fail_msg("%s", e.text);
    if (html_write(&r, folder, path, sizeof path, &e)) fail_msg("%s", e.text);
    report_close(&r);
    free(run);
    snprintf(command, sizeof command, "scripts/print-pages %s", path);
    FILE *said = popen(command, "r");
    int pages = 0;
    assert_non_null(said);
    assert_int_equal(fscanf(said, "%d", &pages), 1);
    assert_int_equal(pclose(said), 0);
    if (pages < 2 || pages > PAGES) fail_msg("the report prints on %d pages", pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_escaped_and_markup_is_not),
        cmocka_unit_test(test_a_cell_is_written_once_for_both),
        cmocka_unit_test(test_markdown_counts_what_is_too_long),
        cmocka_unit_test(test_json_ends_no_script),
        cmocka_unit_test(test_a_script_ends_no_script),
        cmocka_unit_test(test_the_answer_needs_no_script),
        cmocka_unit_test(test_what_never_ran_has_no_number),
        cmocka_unit_test(test_the_page_loads_nothing),
        cmocka_unit_test(test_without_the_chart_library),
        cmocka_unit_test(test_hostile_records_stay_text),
        cmocka_unit_test(test_an_empty_folder_says_what_to_run),
        cmocka_unit_test(test_the_command),
        cmocka_unit_test(test_in_a_browser),
        cmocka_unit_test(test_hostile_records_in_a_browser),
        cmocka_unit_test(test_a_printed_report_is_short),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
