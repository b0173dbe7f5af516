// SPDX-License-Identifier: MIT
/* Parts of a document as data: the meaning of column names, in Markdown and in HTML. */
#include "base/error.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/sections/sections.h"
#include "scratch.h"

#include "drive.h"

static const char sql[] =
    "SELECT count(*) AS \"words|Of %d operations,\n    `%s` <b>.\", 'a|b' FROM json_each('[1, 2]');"
    "SELECT 'exp' AS row_op, 'gcc-12' AS row_cc, 'exp' AS \"operation|`%s` %s\", 'gcc-12', NULL AS "
    "\"?never\", 1.5 AS \"error|%.1f %s|what it errs by\", 'ulp', 'd2' AS \"beyond|{}%d\", 3, "
    "'now' AS \"kept|{d3}%m%s%m\", '', '', NULL AS some "
    "UNION ALL SELECT 'log', 'gcc-13', 'log', 'gcc-13', NULL, 9e999, 'ulp', '', 0, '**', '<i>', "
    "'**', 'x';"
    "SELECT 'Nothing more.' AS words WHERE 0";

/* A query for kernels by machine; the second kernel has no figure on one of them. */
static const char across[] = "WITH cell(kernel, machine, place, ns, n) AS (VALUES('a', 'zen', 2, "
                             "1.0, 8), ('a', 'arc', 1, 2.0, 8), "
                             "('b', 'zen', 2, 3.0, 16)) SELECT kernel, machine AS across, place, "
                             "ns AS \"ns|%.1f\", n AS \"|%d\" "
                             "FROM cell ORDER BY kernel, place DESC";

static const char blocks[] =
    "SELECT value AS each, value * 2 AS twice FROM json_each('[1, 2]');"
    "SELECT :each AS \"heading|Number %d\"; SELECT :twice AS \"item|twice: %d\", :html;"
    "SELECT 0 AS \"fold|More of %d\"; SELECT 'deep' AS words; SELECT 1 AS x; SELECT 0 AS \"end\"; "
    "SELECT 0 AS \"end\";"
    "CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT 7 AS n; SELECT n AS \"words|%d at last.\" FROM "
    "kept";

static struct lab_db empty(void)
{
    struct lab_db l;
    struct error e;
    if (db_read(&l, NULL, 0, &e)) fail_msg("%s", e.text);
    return l;
}

static char *document_of(const char *asked, bool html)
{
    struct lab_db l = empty();
    struct doc d = {.out = tmpfile(), .html = html};
    query_write(&d, &l, asked);
    lab_close(&l);
    return drive_slurp(d.out);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no '%s' in\n%s", part, text);
}

TEST(words_and_rows_are_the_querys)
{
    char *text = document_of(sql, false);
    assert_has(text, "Of 2 operations, `a\\|b` \\<b>.");
    assert_has(text, "| operation | error | beyond | kept | some |");
    assert_has(text, "| `exp` gcc-12 | 1.5 ulp | 3 | now | - |");
    assert_has(text, "| `log` gcc-13 | inf ulp | 0 | **\\<i>** | x |");
    assert_null(strstr(text, "Nothing more"));
}

TEST(the_page_shades_explains_and_filters)
{
    char *text = document_of(sql, true);
    assert_has(text, "<code>a|b</code> &lt;b&gt;.");
    assert_has(text, "title=\"what it errs by\">error<");
    assert_has(text, "<tr data-op=\"exp\" data-cc=\"gcc-12\">");
    assert_has(text, "class=\"d2\">3<");
    assert_has(text, "class=\"d3\"><b>&lt;i&gt;</b><");
}

TEST(columns_stand_side_by_side)
{
    char *text = document_of(across, false);
    assert_has(text, "| kernel | arc: ns | arc | zen: ns | zen |");
    assert_has(text, "| a | 2.0 | 8 | 1.0 | 8 |");
    assert_has(text, "| b | - | - | 3.0 | 16 |");
}

TEST(blocks_repeat_and_fold)
{
    char *text = document_of(blocks, false), *page = document_of(blocks, true);
    assert_has(text, "### Number 1\n\n- twice: 2\n\n### Number 2\n\n- twice: 4\n\n7 at last.");
    assert_null(strstr(text, "deep"));
    assert_has(page,
               "<details><summary>More of 0</summary>\n<p>deep</p>\n<div class=\"scroll tall\">"
               "<template><table class=\"sortable\"><thead><tr><th scope=\"col\">x</th></tr>"
               "</thead>\n<tbody>\n<tr><th scope=\"row\">1</th></tr>\n</tbody></table></template>"
               "</div>\n</details>\n<h3>Number 2");
}

TEST(a_query_that_is_refused_says_so)
{
    char *text = document_of("SELECT a FROM nowhere", false);
    assert_has(text, "Not known");
    assert_has(text, "nowhere");
}

/* The second row of each of these fails, after the first was written. */
TEST(a_query_that_fails_later_says_so)
{
    static const char *const queries[] = {
        "SELECT json(column1) AS a FROM (VALUES('1'), ('{'))",
        "SELECT json(column1) AS item FROM (VALUES('1'), ('{'))",
        "SELECT json(column1) AS each FROM (VALUES('1'), ('{')); SELECT 1 AS \"end\""};
    struct lab_db l = empty();
    struct error e = {""};
    json_t *data;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *text = document_of(queries[i], false);
        assert_has(text, "Not known");
        assert_has(text, "malformed JSON");
    }
    assert_int_equal(columns_json(&l,
                                  "SELECT 'x' AS t, json(column1) AS a FROM (VALUES('1'), ('{'))",
                                  &data, &e),
                     EXIT_BAD_INPUT);
    assert_null(data);
    assert_has(e.text, "malformed JSON");
    lab_close(&l);
}

TEST(rows_are_looked_for)
{
    struct lab_db l = empty();
    assert_true(query_has_rows(&l, sql, false));
    assert_false(query_has_rows(
        &l, "SELECT 1 AS each WHERE 0; SELECT 'a' AS words; SELECT 0 AS \"end\"", false));
    lab_close(&l);
}

/* The query of every section runs on an empty database without an error. */
TEST(every_section_can_be_asked)
{
    struct lab_db l = empty();
    struct error e = {""};
    assert_int_equal(facts_make(&l, advice_bar, &e), 0);
    assert_int_equal(policies_make(&l, &(struct policy_constraints){.max_ulp = advice_bar}, &e),
                     EXIT_USAGE); /* the database is empty */
    for (const struct section *s = sections; s->id; s++) {
        struct doc d = {.out = tmpfile(), .html = true};
        query_write(&d, &l, s->sql);
        const char *text = drive_slurp(d.out);
        if (strstr(text, "Not known")) fail_msg("%s: %s", s->id, text);
    }
    lab_close(&l);
}

/* Adding a section takes one file and one row (docs/extending.md): a program built from a copy of
 * src/publish with these two, and nothing else new, has it in its table. */
TEST(a_section_is_one_file_and_one_row)
{
    static const char make[] =
        "set -e; cd '%s'; root='%s'; mkdir src; cp -r \"$root/src/publish\" src/\n"
        "printf '%%s\\n' '-- SPDX-License-Identifier: MIT' 'SELECT 7 AS \"words|%%d at last.\"' "
        ">src/publish/sections/fresh.sql\n"
        "echo 'SECTION(fresh, \"Fresh\", \"\", BOTH)' >>src/publish/sections/sections.list\n"
        "cat >main.c <<'END'\n"
        "#include <stdio.h>\n"
        "#include \"publish/sections/sections.h\"\n"
        "int main(void) { for (const struct section *s = sections; s->id; s++) "
        "if (s->title[0] == 'F' && s->title[1] == 'r') fputs(s->sql, stdout); }\n"
        "END\n"
        "gcc -Isrc -I\"$root/src\" -I\"$root/include\" main.c src/publish/sections/sections.c "
        "src/publish/embedded.S -ffunction-sections -Wl,--gc-sections -o program && ./program";
    char command[2000], fresh[400] = "", root[400];
    if (system("command -v gcc >/dev/null") != 0) skip();
    assert_int_equal(scratch_open(state), 0);
    assert_non_null(getcwd(root, sizeof root));
    snprintf(command, sizeof command, make, scratch_path("."), root);
    FILE *said = popen(command, "r");
    assert_non_null(said);
    fresh[fread(fresh, 1, sizeof fresh - 1, said)] = '\0';
    assert_int_equal(pclose(said), 0);
    assert_string_equal(document_of(fresh, false), "7 at last.\n\n");
    assert_int_equal(scratch_close(state), 0);
}
