// SPDX-License-Identifier: MIT
/* Markup and documents; and report.html in a browser and on paper (tests/records/html.txt has what
 * it says). */
// test: 25 s of a core
#include "base/error.h"
#include "publish/db/db.h"
#include "publish/render/markup.h"
#include "publish/render/query.h"
#include "publish/site/site.h"
#include "scratch.h"

#include "page.h"

/* A stub that is accepted as Chart.js, with texts that would end a script element. */
static const char chart_stub[] =
    "/* Chart.js v4.4.1 */ const a = '</script>', b = '</SCRIPT ', c = '<!--';\n";

static int set_up(void **state)
{
    if (scratch_open(state)) return -1;
    scratch_write("chart.js", chart_stub);
    return setenv("ULPLAB_CHART_JS", scratch_path("chart.js"), 1);
}

/* ---- Markup ---------------------------------------------------------------------------------- */

/* Closes a temporary file and asserts what was written to it. */
static void assert_written(FILE *f, const char *expected)
{
    assert_string_equal(drive_slurp(f), expected);
}

TEST(test_text_is_escaped_and_markup_is_not)
{
    FILE *f = tmpfile();
    markup(f, "<b title=\"%s\">%s</b>", "\"'", "a<b> & \x01\n");
    assert_written(f, "<b title=\"&quot;&#39;\">a&lt;b&gt; &amp;   </b>");
}

/* Texts from a record are plain text in Markdown and in HTML; texts of the program may be code,
 * bold or small. */
TEST(test_a_cell_is_written_once_for_both)
{
    static const char format[] = "`%s` **%.2f** ~%s~ %g%% %g";
    const struct dialect_value values[] = {
        {"a`b|c", 0}, {"", 0.5}, {"x_y_z *<", 0}, {"", (double)INFINITY}, {"", (double)NAN}};
    (void)state;
    FILE *f = tmpfile();
    dialect_put(f, HTML, format, values);
    assert_written(f,
                   "<code>a`b|c</code> <b>0.50</b> <small>x_y_z *&lt;</small> inf% \xe2\x80\x93");
    f = tmpfile();
    dialect_put(f, MARKDOWN, format, values);
    assert_written(f, "`a'b\\|c` **0.50** x_y_z \\*\\< inf% -");
}

TEST(test_markdown_counts_what_is_too_long)
{
    struct lab_db l;
    struct error e;
    assert_int_equal(db_read(&l, NULL, 0, &e), 0);
    const struct doc d = {.out = tmpfile(), .most_bytes = 40};
    query_write(&d, &l, "SELECT key AS a, 'x' AS b FROM json_each('[0,1,2,3,4,5,6,7,8,9]')");
    assert_written(d.out, "| a | b |\n|---|---|\n| 0 | x |\n| 1 | x |\n| 2 | x |\n"
                          "\n7 more rows: report.html has all.\n\n");
    lab_close(&l);
}

TEST(test_json_ends_no_script)
{
    json_t *value = keep(json_pack("{s:s}", "</script>", "<!--&\xe2\x80\xa8\xe2\x80\xa9"));
    FILE *f = tmpfile();
    markup_json(f, value);
    const char *written = drive_slurp(f);
    assert_string_equal(written, "{\"\\u003c/script\\u003e\":\"\\u003c!--\\u0026\\u2028\\u2029\"}");
    json_t *back = keep(json_loads(written, 0, NULL));
    assert_true(json_equal(back, value));
}

TEST(test_a_script_ends_no_script)
{
    FILE *f = tmpfile();
    markup_script(f, chart_stub, sizeof chart_stub - 1);
    assert_written(
        f, "/* Chart.js v4.4.1 */ const a = '<\\/script>', b = '<\\/SCRIPT ', c = '<\\!--';\n");
}

/* ---- A browser ------------------------------------------------------------------------------- */

/* Writes the report of synthetic results and lets scripts/test-html open it. */
static void look_at(const char *kind, const char *checks)
{
    if (system("command -v python3 >/dev/null") != 0) {
        print_message("skipped: no python3 to make synthetic results with\n");
        skip();
    }
    must_format("tests/synthetic-results %s %s", scratch_path("many"), kind);
    page_needs_charts();
    unsetenv("ULPLAB_CHART_JS");
    page_written(html_write, scratch_path("many"));
    setenv("ULPLAB_CHART_JS", scratch_path("chart.js"), 1);
    page_in_a_browser(scratch_path("many/report.html"), "tests/browser_check.js", checks);
}

TEST(test_in_a_browser)
{
    look_at("small", "");
}

TEST(test_hostile_records_in_a_browser)
{
    setenv("WIDTH", "500", 1); /* the narrowest window that the browser opens */
    look_at("small hostile", "text width charts filters theme");
}

/* The report of a committed run, laid out for paper. */
TEST(test_a_printed_report_is_short)
{
    enum { PAGES = 30 };
    static const char *const runs[] = {"results/*/records.tar.zst", NULL};
    char path[256], command[320];
    struct report r;
    struct error e;
    if (system("command -v chromium chromium-browser google-chrome >/dev/null") != 0) {
        print_message("skipped: no Chromium here (Debian's package: chromium)\n");
        skip();
    }
    char *run = *drive_glob(runs);
    assert_non_null(run);
    *strrchr(run, '/') = '\0';
    unsetenv("ULPLAB_CHART_JS"); /* the real library, if it is installed */
    if (report_open(run, advice_bar, &r, &e)) fail_msg("%s", e.text);
    if (html_write(&r, scratch, path, sizeof path, &e)) fail_msg("%s", e.text);
    lab_close(&r.db);
    snprintf(command, sizeof command, "scripts/print-pages %s", path);
    FILE *said = popen(command, "r");
    int pages = 0;
    assert_non_null(said);
    assert_int_equal(fscanf(said, "%d", &pages), 1);
    assert_int_equal(pclose(said), 0);
    if (pages < 2 || pages > PAGES) fail_msg("the report prints on %d pages", pages);
}

/* A site of two CPUs, one of which has hostile records, and of an archive: every link leads
 * somewhere, nothing is loaded, and its search finds. A machine's name that is no folder's is
 * refused. */
TEST(test_every_link_of_a_site)
{
    (void)state;
    if (system("command -v python3 >/dev/null") != 0) {
        print_message("skipped: no python3 to follow links with\n");
        skip();
    }
    must_format(
        "set -e; p=%s; case $p in /*) ;; *) p=$PWD/$p ;; esac; d=$PWD; cd %s; "
        "$d/tests/synthetic-results evil small hostile; "
        "$p archive add $d/results/suite-1/amd-25-1-1-e30850f3 --to lab.db >added; "
        "! $p site site evil 2>refused; grep -q \"machine has no name\" refused; "
        "sed -i 's|\"slug\": \"[^,]*\",|\"slug\": \"amd-26-68-0-1234abcd\",|' evil/machine.json; "
        "$p site site evil lab.db >written; grep -qx site/index.html written; "
        "test -s site/amd-25-1-1-e30850f3/softmax.html; $d/tests/site-links site",
        drive_program("ulplab"), scratch);
    setenv("WIDTH", "500", 1);
    page_in_a_browser(scratch_path("site/index.html"), "tests/browser_site.js", "");
}

TEST_GROUP(set_up, scratch_close)
