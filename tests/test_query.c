/* A section of a report as data: words and a table of a query, the same in Markdown and HTML. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "publish/db/db.h"
#include "publish/render/query.h"

#include "drive.h" /* last: cmocka's fail() is a macro */

static const char sql[] =
    "SELECT 'Of ' || count(*) || ' operations <b>.' AS words FROM json_each('[1, 2]');"
    "SELECT 'exp' AS op, 'gcc-12' AS cc, NULL AS none, 1.5 AS error, 'ulp' AS unit, 3 AS beyond, "
    "'yes' AS kept, "
    "NULL "
    "AS some UNION ALL SELECT 'log', 'gcc-13', NULL, 9e999, 'ulp', 0, 'no: 2', 0.25;"
    "SELECT 'Nothing more.' AS words WHERE 0";
static const struct query_column columns[] = {
    {"operation", CELL_CODE},       {"compiler", CELL_COMPILER},
    {"never", CELL_NUMBER},         {"error", CELL_ERROR},
    {"beyond", CELL_NONE_EXPECTED}, {"kept", CELL_PROMISE},
    {"some", CELL_NUMBER},          {NULL, CELL_TEXT}};

static char *document_of(const char *asked, bool html)
{
    struct lab_db l;
    struct error e = {""};
    char *text = NULL;
    size_t size = 0;
    struct doc d = {.out = open_memstream(&text, &size), .html = html};
    if (db_read(&l, NULL, 0, &e)) fail_msg("%s", e.text);
    query_write(&d, &l, asked, columns);
    fclose(d.out);
    lab_close(&l);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no '%s' in\n%s", part, text);
}

static void words_and_rows_are_the_querys(void **state)
{
    (void)state;
    char *text = document_of(sql, false);
    assert_has(text, "Of 2 operations \\<b>.");
    assert_has(text, "| operation | compiler | error | beyond | kept | some |");
    assert_has(text, "| `exp` | gcc-12 | 1.5 ulp | 3 | yes | - |");
    assert_has(text, "| `log` | gcc-13 | inf ulp | 0 | no: 2 | 0.25 |");
    assert_null(strstr(text, "Nothing more"));
    free(text);
}

static void the_page_shades_findings_and_filters_by_compiler(void **state)
{
    (void)state;
    char *text = document_of(sql, true);
    assert_has(text, "Of 2 operations &lt;b&gt;.");
    assert_has(text, "data-cc=\"gcc-12\"");
    assert_has(text, "class=\"d2\">3<");
    assert_has(text, "class=\"d3\">no: 2<");
    free(text);
}

static void a_query_that_is_refused_says_so(void **state)
{
    (void)state;
    char *text = document_of("SELECT a FROM nowhere", false);
    assert_has(text, "Not known");
    assert_has(text, "nowhere");
    free(text);
}

static void rows_are_counted(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    assert_int_equal(db_read(&l, NULL, 0, &e), 0);
    assert_int_equal(query_rows(&l, sql), 2);
    assert_int_equal(query_rows(&l, "SELECT 'a' AS words; SELECT 1, 2 WHERE 0"), 0);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_rows_are_the_querys),
        cmocka_unit_test(the_page_shades_findings_and_filters_by_compiler),
        cmocka_unit_test(a_query_that_is_refused_says_so),
        cmocka_unit_test(rows_are_counted),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
